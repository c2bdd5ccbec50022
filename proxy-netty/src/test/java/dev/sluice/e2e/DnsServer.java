package dev.sluice.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A dnsmasq in a pod: one that knows the names of a cluster, as CoreDNS does, or a resolver that
 * asks another and remembers the answers. Names below {@code load.cluster.local} all exist, and
 * their address says who answered.
 *
 * <p>Threads: the one thread of the pod's process.
 */
final class DnsServer implements Closeable {
    /** Text of 2,259 characters: more than a datagram without EDNS or of 1,232 bytes takes. */
    static final String LARGE = "large.cluster.local";

    /** Text of 10,040 characters: more than any datagram of DNS takes. */
    static final String HUGE = "huge.cluster.local";

    /** Where a resolver listens, at 127.0.0.1. */
    static final int RESOLVER_PORT = 53;

    private static final String KEPT = "dns";
    private static final String STRING = "x".repeat(250);
    private static final int END_LIMIT_SECONDS = 5;

    private final Process process;

    private DnsServer(List<String> options) throws IOException {
        List<String> command = new ArrayList<>();
        Collections.addAll(command, "dnsmasq", "--keep-in-foreground", "--conf-file=/dev/null");
        Collections.addAll(command, "--pid-file=", "--user=root", "--log-facility=-");
        Collections.addAll(command, "--no-resolv", "--no-hosts", "--edns-packet-max=4096");
        command.addAll(options);
        process = new ProcessBuilder(command).redirectErrorStream(true).start();
        awaitStarted();
    }

    /** It says so once its sockets are there, and little later on. */
    @SuppressWarnings("resource") // the reader must stay open as long as the process writes
    private void awaitStarted() throws IOException {
        BufferedReader log = process.inputReader(UTF_8);
        List<String> lines = new ArrayList<>();
        for (String line = log.readLine(); line != null; line = log.readLine()) {
            if (line.contains("started")) {
                return;
            }
            lines.add(line);
        }
        throw new IOException("dnsmasq did not start: " + lines);
    }

    /** Whether this machine has dnsmasq(8) and dig(1). */
    static boolean areToolsInstalled() {
        return Stream.of("dnsmasq", "dig")
                .allMatch(
                        program ->
                                Stream.of("/usr/sbin", "/usr/bin")
                                        .map(folder -> Path.of(folder, program))
                                        .anyMatch(Files::isExecutable));
    }

    /** A server at {@link Pod#PORT} over both protocols, with the same records wherever it runs. */
    static void serve(Pod pod, String address) throws IOException {
        List<String> options =
                List.of(
                        "--port=" + Pod.PORT,
                        "--cache-size=0",
                        "--local-ttl=60",
                        "--local=/cluster.local/",
                        "--address=/load.cluster.local/" + address,
                        "--host-record=web.default.svc.cluster.local,10.96.0.1,fd00:96::1",
                        "--srv-host=_http._tcp.web.default.svc.cluster.local,"
                                + "web.default.svc.cluster.local,80",
                        "--txt-record=" + LARGE + "," + text(9) + ",last",
                        "--txt-record=" + HUGE + "," + text(40) + ",last");
        keep(pod, options);
    }

    private static String text(int strings) {
        return Stream.generate(() -> STRING).limit(strings).collect(Collectors.joining(","));
    }

    /** A caching resolver for the pod itself, which asks one server. */
    static void resolve(Pod pod, String server) throws IOException {
        List<String> options =
                List.of(
                        "--port=" + RESOLVER_PORT,
                        "--listen-address=127.0.0.1",
                        "--bind-interfaces",
                        "--cache-size=10000",
                        "--dns-forward-max=1000",
                        "--server=" + server);
        keep(pod, options);
    }

    private static void keep(Pod pod, List<String> options) throws IOException {
        pod.call(
                kept -> {
                    kept.close(KEPT);
                    kept.put(KEPT, new DnsServer(options));
                    return true;
                });
    }

    /** Kills it, unread questions and all; returns when it is gone. */
    static void kill(Pod pod) throws IOException {
        pod.call(
                kept -> {
                    kept.close(KEPT);
                    return true;
                });
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            if (!process.waitFor(END_LIMIT_SECONDS, TimeUnit.SECONDS)) {
                throw new UncheckedIOException(new IOException("dnsmasq does not end"));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
