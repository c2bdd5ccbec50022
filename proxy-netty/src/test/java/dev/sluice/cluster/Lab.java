package dev.sluice.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.e2e.Pod;
import dev.sluice.peer.Behaviour;
import dev.sluice.redirect.Namespace;
import dev.sluice.redirect.RedirectException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.awaitility.core.ThrowingRunnable;

/**
 * A node with its control plane, a client and three backends, each pod behind a veth whose end on
 * the node has an address, and one more client behind a veth that has none, as Calico makes them.
 * The backends {@code a}, {@code b} and {@code c} tell each client their name.
 *
 * <p>Threads: the test's.
 */
final class Lab implements AutoCloseable {
    static final String NODE_ADDRESS = "192.0.2.10";

    /** The controllers, who take a second or two, are part of it. */
    private static final Duration CHANGE_LIMIT = Duration.ofSeconds(30);

    private static final String LOAD = "load";

    private final Deque<Opened> open = new ArrayDeque<>();
    private final Pod node;
    private final ControlPlane controlPlane;
    private final Pod client;
    private final Pod unnumberedClient;
    private final List<Pod> backends;

    private interface Opened {
        void close() throws IOException, RedirectException;
    }

    /**
     * Makes one; skips the test where the machine can't have it.
     *
     * @param settings of {@code examples/cluster/up.sh}
     */
    Lab(Map<String, String> settings) throws Exception {
        try {
            Namespace host = namespace("node-");
            host.run("sysctl", "-qw", "net.ipv4.ip_forward=1");
            host.ip("link add eth0 type veth peer name outside");
            host.ip("link set outside up");
            host.ip("link set eth0 up");
            host.ip("addr add " + NODE_ADDRESS + "/24 dev eth0");
            host.ip("route add default via 192.0.2.1 dev eth0");
            controlPlane = ControlPlane.start(host, NODE_ADDRESS, settings);
            open.push(controlPlane::close);
            node = pod(host, NODE_ADDRESS);
            client = numbered("client-", 2);
            unnumberedClient = unnumbered("cali-", 3);
            backends = List.of(numbered("a-", 11), numbered("b-", 12), numbered("c-", 13));
            resetPods();
        } catch (Exception | AssertionError e) {
            close();
            throw e;
        }
    }

    private Namespace namespace(String role) throws RedirectException {
        Namespace namespace = Namespace.create("kube-" + role);
        open.push(namespace::close);
        return namespace;
    }

    private Pod pod(Namespace namespace, String address) throws IOException {
        // No IPv6: kube-proxy of that time serves one family only.
        Pod pod = new Pod(namespace, address, "::");
        open.push(pod::close);
        return pod;
    }

    private Pod numbered(String role, int number) throws IOException, RedirectException {
        Namespace namespace = namespace(role);
        String network = "10.244." + number;
        String device = "veth" + number;
        connect(namespace, device);
        host().ip("addr add " + network + ".1/24 dev " + device);
        namespace.ip("addr add " + network + ".2/24 dev eth0");
        namespace.ip("route add default via " + network + ".1");
        return pod(namespace, network + ".2");
    }

    private Pod unnumbered(String role, int number) throws IOException, RedirectException {
        Namespace namespace = namespace(role);
        String address = "10.244." + number + ".2";
        String device = "cali" + number;
        connect(namespace, device);
        // The delay is up to 0.8 s otherwise. Calico does so.
        host().run(
                        "sysctl",
                        "-qw",
                        "net.ipv4.conf." + device + ".proxy_arp=1",
                        "net.ipv4.neigh." + device + ".proxy_delay=0");
        host().ip("route add " + address + "/32 dev " + device);
        namespace.ip("addr add " + address + "/32 dev eth0");
        namespace.ip("route add 169.254.1.1 dev eth0 scope link");
        namespace.ip("route add default via 169.254.1.1 dev eth0");
        return pod(namespace, address);
    }

    private void connect(Namespace namespace, String device) throws RedirectException {
        host().ip("link add " + device + " type veth peer name eth0 netns " + namespace.name());
        host().ip("link set " + device + " up");
        namespace.ip("link set eth0 up");
    }

    /** Lets each backend tell its name and answer everybody; no client has a connection open. */
    void resetPods() throws IOException, RedirectException {
        for (Pod each : clients()) {
            each.closeAll();
        }
        for (Pod backend : backends) {
            backend.namespace().run("nft", "flush", "ruleset");
        }
        a().serve(() -> Behaviour.id("a"));
        b().serve(() -> Behaviour.id("b"));
        c().serve(() -> Behaviour.id("c"));
    }

    /** Namespace of the node. */
    Namespace host() {
        return node.namespace();
    }

    /** Clients on the node itself. */
    Pod node() {
        return node;
    }

    Pod client() {
        return client;
    }

    Pod unnumberedClient() {
        return unnumberedClient;
    }

    /** Clients on the node, behind an interface with an address and behind one without. */
    List<Pod> clients() {
        return List.of(node, client, unnumberedClient);
    }

    Pod a() {
        return backends.get(0);
    }

    Pod b() {
        return backends.get(1);
    }

    Pod c() {
        return backends.get(2);
    }

    ControlPlane controlPlane() {
        return controlPlane;
    }

    /** Clients of the client pod from now on; see {@link Load}. */
    void startLoad(InetSocketAddress service, int perSecond) throws IOException {
        client.call(
                kept -> {
                    kept.put(LOAD, Load.start(service, perSecond));
                    return true;
                });
    }

    Load.Outcome stopLoad() throws IOException {
        return client.call(kept -> kept.get(LOAD, Load.class).stop());
    }

    /** All rules of the node, as iptables-save(8) prints them. */
    String rules() throws RedirectException {
        return host().run("iptables-save");
    }

    /**
     * Waits until there is a rule for a ClusterIP: a client that came before would be forwarded,
     * and its repeated SYN as well.
     */
    void awaitRule(InetSocketAddress service) {
        String destination = service.getAddress().getHostAddress() + "/32";
        eventually(() -> assertThat(rules()).contains(destination));
    }

    /** Waits until a change at the API server is in force. */
    static void eventually(ThrowingRunnable assertion) {
        await().atMost(CHANGE_LIMIT).pollInterval(Duration.ofMillis(50)).untilAsserted(assertion);
    }

    @Override
    public void close() throws IOException, RedirectException {
        while (!open.isEmpty()) {
            open.pop().close();
        }
    }
}
