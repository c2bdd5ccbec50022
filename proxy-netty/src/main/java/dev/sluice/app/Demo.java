package dev.sluice.app;

import dev.sluice.config.ProxyConfig;
import dev.sluice.control.ProgrammaticServiceSource;
import dev.sluice.control.ReconcileStatus;
import dev.sluice.model.Endpoint;
import dev.sluice.model.FrontEnd;
import dev.sluice.model.IpAddress;
import dev.sluice.model.Protocol;
import dev.sluice.model.ServicePort;
import dev.sluice.model.ServicePortName;
import dev.sluice.model.ServiceSnapshot;
import dev.sluice.model.SessionAffinity;
import dev.sluice.redirect.IptablesRedirectRules;
import dev.sluice.redirect.RedirectException;
import dev.sluice.redirect.RedirectTarget;
import dev.sluice.redirect.RuleSet;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.PrintWriter;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/**
 * The classic hello-world Service with two pods, all in this process, and a client that shows what
 * the proxy does with its requests.
 *
 * <p>Threads: one.
 */
final class Demo implements AutoCloseable {
    private static final ServicePortName NAME =
            ServicePortName.of("default", "hello-world", "", Protocol.TCP);

    /** Of TEST-NET-1 (RFC 5737), so that it is nobody's address. */
    private static final FrontEnd FRONT_END =
            new FrontEnd(IpAddress.parse("192.0.2.10"), 80, Protocol.TCP);

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final PrintWriter out;
    private final List<HelloWorldPod> pods;
    private final ProgrammaticServiceSource source;
    private final ServiceProxy proxy;
    private final String address;
    private int requests;
    private int failed;

    private Demo(
            PrintWriter out,
            List<HelloWorldPod> pods,
            ProgrammaticServiceSource source,
            ServiceProxy proxy,
            String address) {
        this.out = out;
        this.pods = pods;
        this.source = source;
        this.proxy = proxy;
        this.address = address;
    }

    /**
     * Starts two pods and a proxy: behind a ClusterIP where redirect rules can be written, else
     * behind the listener's own port.
     */
    static Demo start(PrintWriter out) throws IOException {
        List<HelloWorldPod> pods = new ArrayList<>();
        ProgrammaticServiceSource source = new ProgrammaticServiceSource();
        try {
            pods.add(HelloWorldPod.start(1));
            pods.add(HelloWorldPod.start(2));
            source.set(snapshot(pods, SessionAffinity.NONE));
            out.println("Service hello-world, port 80, with two pods in this process:");
            pods.forEach(pod -> out.println("  " + pod.name() + " at " + pod.endpoint()));
            return start(out, pods, source);
        } catch (IOException | RuntimeException e) {
            pods.forEach(HelloWorldPod::close);
            throw e;
        }
    }

    private static Demo start(
            PrintWriter out, List<HelloWorldPod> pods, ProgrammaticServiceSource source)
            throws IOException {
        try {
            ServiceProxy proxy = redirected(source);
            out.println("Clients ask for its ClusterIP " + FRONT_END.address() + ", which is");
            out.println("redirected to the proxy by iptables (verified in the kernel).");
            return new Demo(out, pods, source, proxy, FRONT_END.address().toString());
        } catch (IOException e) {
            if (Thread.currentThread().isInterrupted()) {
                throw e;
            }
            out.println("Not through a ClusterIP: " + e.getMessage());
        }
        ServiceProxy proxy =
                ServiceProxy.builder().config(ProxyConfig.embedded()).source(source).start();
        InetSocketAddress listener =
                proxy.localAddress(NAME).orElseThrow(() -> notServed(proxy.status()));
        String address = listener.getHostString() + ":" + listener.getPort();
        out.println("Clients ask for the listener of the proxy, " + address + ".");
        return new Demo(out, pods, source, proxy, address);
    }

    /** A proxy whose rules are in force. No packet is sent to the ClusterIP before they are. */
    private static ServiceProxy redirected(ProgrammaticServiceSource source) throws IOException {
        ProxyConfig config =
                ProxyConfig.defaults()
                        .withAdmin(ProxyConfig.Admin.NONE)
                        .withHealth(ProxyConfig.Health.NONE)
                        .allowingLoopback();
        ServiceProxy proxy = ServiceProxy.builder().config(config).source(source).start();
        try {
            int listener =
                    proxy.status().localPort(NAME).orElseThrow(() -> notServed(proxy.status()));
            RuleSet rules =
                    new RuleSet(
                            new TreeMap<>(Map.of(FRONT_END, RedirectTarget.port(listener))),
                            new TreeSet<>());
            if (!IptablesRedirectRules.open(config.redirect()).isInForce(rules)) {
                throw notServed(proxy.status());
            }
            fetch(FRONT_END.address().toString());
            return proxy;
        } catch (RedirectException e) {
            proxy.close();
            throw new IOException(e.getMessage(), e);
        } catch (IOException | RuntimeException e) {
            proxy.close();
            throw e;
        }
    }

    private static IOException notServed(ReconcileStatus status) {
        return new IOException(
                status.failure()
                        .or(() -> status.portFailures().values().stream().findFirst())
                        .orElse("its rules are not in force"));
    }

    /** Shows everything once. */
    boolean show() throws IOException {
        boolean ok = roundRobin();
        ok &= affinity();
        ok &= failover();
        out.println();
        if (ok && failed == 0) {
            out.println("demo: ok, " + requests + " requests, 0 failed");
        } else {
            out.println("demo: FAILED, " + requests + " requests, " + failed + " failed");
        }
        out.flush();
        return ok && failed == 0;
    }

    private boolean roundRobin() {
        title("Round robin: each connection goes to the next pod");
        List<String> answers = ask(6);
        return expect(
                new TreeSet<>(answers).size() == 2
                        && answers.stream().filter(answers.get(0)::equals).count() == 3,
                "each pod answers every second request");
    }

    private boolean affinity() throws IOException {
        title("Session affinity ClientIP: this client stays with one pod");
        apply(new SessionAffinity.ClientIp(SessionAffinity.ClientIp.DEFAULT_TIMEOUT));
        List<String> answers = ask(6);
        return expect(new TreeSet<>(answers).size() == 1, "one pod answers all");
    }

    private boolean failover() throws IOException {
        apply(SessionAffinity.NONE);
        title("A pod stops while requests go on, and is still listed as an endpoint");
        List<String> before = ask(4);
        HelloWorldPod stopped = pods.get(0);
        stopped.close();
        out.println("  " + stopped.name() + " has stopped");
        List<String> afterwards = ask(10);
        return expect(
                before.contains(stopped.name())
                        && afterwards.stream().allMatch(pods.get(1).name()::equals),
                "the proxy retries at once with the pod that answers");
    }

    private void title(String text) {
        out.println();
        out.println(text);
    }

    private boolean expect(boolean holds, String rule) {
        if (!holds) {
            out.println("  EXPECTED: " + rule);
        }
        return holds;
    }

    /** Sends requests one after the other, each on a connection of its own. */
    private List<String> ask(int count) {
        List<String> answers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            requests++;
            try {
                answers.add(fetch(address));
            } catch (IOException e) {
                failed++;
                answers.add("failed: " + e.getMessage());
            }
            out.printf("  request %2d: %s%n", requests, answers.get(i));
        }
        return answers;
    }

    private static String fetch(String from) throws IOException {
        HttpURLConnection request =
                (HttpURLConnection)
                        URI.create("http://" + from + "/").toURL().openConnection(Proxy.NO_PROXY);
        request.setRequestProperty("Connection", "close");
        request.setConnectTimeout((int) PATIENCE.toMillis());
        request.setReadTimeout((int) PATIENCE.toMillis());
        try (InputStream body = request.getInputStream()) {
            String text = new String(body.readAllBytes(), StandardCharsets.UTF_8);
            return text.replaceFirst("(?s).*I am (\\S+).*", "$1");
        }
    }

    private void apply(SessionAffinity affinity) throws IOException {
        source.set(snapshot(pods, affinity));
        try {
            proxy.settled().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException("a change of the Service was not applied: " + e, e);
        }
    }

    private static ServiceSnapshot snapshot(List<HelloWorldPod> pods, SessionAffinity affinity) {
        List<Endpoint> endpoints = pods.stream().map(HelloWorldPod::endpoint).toList();
        return ServiceSnapshot.of(
                new ServicePort(
                        NAME, List.of(FRONT_END.address()), FRONT_END.port(), affinity, endpoints));
    }

    /** Tells what a person can try while it goes on. */
    void invite() throws IOException {
        pods.set(0, HelloWorldPod.start(1));
        apply(SessionAffinity.NONE);
        out.println();
        out.println("Both pods run again. Try:");
        out.println("  curl http://" + address + "/");
        out.println(
                pods.stream()
                        .map(pod -> "  curl http://" + pod.endpoint() + "/    # " + pod.name())
                        .collect(Collectors.joining(System.lineSeparator())));
        out.println("Ctrl-C ends the demo and removes its rules.");
        out.flush();
    }

    @Override
    public void close() {
        proxy.close();
        pods.forEach(HelloWorldPod::close);
    }
}
