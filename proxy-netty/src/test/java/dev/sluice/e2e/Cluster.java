package dev.sluice.e2e;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.redirect.Namespace;
import dev.sluice.redirect.RedirectException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A node and its pods, of both kinds that network plugins make: behind a bridge that has an address
 * of the pods' network, and behind a veth that has none and is reached by a host route, as Calico
 * does it. Foreign rules stand on the node from the beginning.
 *
 * <p>Threads: the test's.
 */
final class Cluster implements AutoCloseable {
    private static final String FOREIGN =
            """
            *nat
            :FOREIGN - [0:0]
            -A PREROUTING -i eth7 -j FOREIGN
            -A POSTROUTING -s 198.51.100.0/24 -o eth7 -j MASQUERADE
            COMMIT
            *filter
            -A FORWARD -i eth7 -j DROP
            COMMIT
            """;

    private final List<Namespace> namespaces;
    private final Pod node;
    private final Pod bridgedClient;
    private final Pod routedClient;
    private final List<Pod> backends;
    private final String foreignRules;
    private final int idleSockets;

    private Cluster(List<Namespace> namespaces)
            throws IOException, RedirectException, InterruptedException {
        this.namespaces = namespaces;
        Namespace node = namespace("node-");
        node.run("sysctl", "-qw", "net.ipv4.ip_forward=1", "net.ipv6.conf.all.forwarding=1");
        node.ip("link add eth0 type veth peer name outside");
        node.ip("link set outside up");
        node.ip("link set eth0 up");
        node.ip("addr add 192.0.2.10/24 dev eth0");
        node.ip("addr add 2001:db8::10/64 dev eth0");
        node.ip("route add default via 192.0.2.1 dev eth0");
        node.ip("-6 route add default via 2001:db8::1 dev eth0");
        node.ip("link add br0 type bridge");
        node.ip("link set br0 up");
        node.ip("addr add 10.1.0.1/24 dev br0");
        node.ip("addr add fd01::1/64 dev br0");
        node.restore("iptables-nft-restore", FOREIGN);

        this.node = new Pod(node, "192.0.2.10", "2001:db8::10");
        bridgedClient = bridged("client1-", 2);
        routedClient = routed("client2-", 3);
        backends = List.of(bridged("a-", 11), bridged("b-", 12), routed("c-", 13));
        foreignRules = node.ruleset();
        idleSockets = countIdleSockets();
    }

    /** Skips the test where the machine can't have one. */
    static Cluster create() throws IOException, RedirectException, InterruptedException {
        assumeTrue(
                Stream.of("/usr/sbin", "/sbin", "/usr/bin")
                        .anyMatch(folder -> Files.isExecutable(Path.of(folder, "conntrack"))),
                "no conntrack: whether sluice.jar serves pods is not tested");
        assumeTrue(
                System.getProperty("sluice.jar") != null,
                "system property sluice.jar is not set, as ./mvnw verify does: the program is not tested");
        List<Namespace> namespaces = new ArrayList<>();
        boolean complete = false;
        try {
            Cluster cluster = new Cluster(namespaces);
            complete = true;
            return cluster;
        } finally {
            if (!complete) {
                closeAll(namespaces);
            }
        }
    }

    private Pod bridged(String role, int number) throws IOException, RedirectException {
        Namespace pod = namespace(role);
        Namespace host = node.namespace();
        host.ip("link add veth" + number + " type veth peer name eth0 netns " + pod.name());
        host.ip("link set veth" + number + " master br0 up");
        pod.ip("link set eth0 up");
        pod.ip("addr add 10.1.0." + number + "/24 dev eth0");
        pod.ip("addr add fd01::" + number + "/64 dev eth0");
        pod.ip("route add default via 10.1.0.1");
        pod.ip("-6 route add default via fd01::1");
        return new Pod(pod, "10.1.0." + number, "fd01::" + number);
    }

    private Pod routed(String role, int number) throws IOException, RedirectException {
        Namespace pod = namespace(role);
        Namespace host = node.namespace();
        String device = "cali" + number;
        host.ip("link add " + device + " type veth peer name eth0 netns " + pod.name());
        host.ip("link set " + device + " address ee:ee:ee:ee:ee:ee up");
        // The delay is up to 0.8 s otherwise, and a try to reach a pod seems to fail. Calico does
        // so.
        host.run(
                "sysctl",
                "-qw",
                "net.ipv4.conf." + device + ".proxy_arp=1",
                "net.ipv4.neigh." + device + ".proxy_delay=0");
        host.ip("route add 10.2.0." + number + "/32 dev " + device);
        host.ip("-6 route add fd02::" + number + "/128 dev " + device);
        pod.ip("link set eth0 up");
        pod.ip("addr add 10.2.0." + number + "/32 dev eth0");
        pod.ip("addr add fd02::" + number + "/128 dev eth0");
        pod.ip("route add 169.254.1.1 dev eth0 scope link");
        pod.ip("route add default via 169.254.1.1 dev eth0");
        pod.ip("-6 route add default via fe80::ecee:eeff:feee:eeee dev eth0");
        return new Pod(pod, "10.2.0." + number, "fd02::" + number);
    }

    private Namespace namespace(String role) throws RedirectException {
        Namespace namespace = Namespace.create("e2e-" + role);
        namespaces.add(namespace);
        return namespace;
    }

    Pod node() {
        return node;
    }

    /** Its interface on the node has an address. */
    Pod bridgedClient() {
        return bridgedClient;
    }

    /** Its interface on the node has no address. */
    Pod routedClient() {
        return routedClient;
    }

    /** The pods {@code a}, {@code b} (bridged) and {@code c} (routed). */
    List<Pod> backends() {
        return backends;
    }

    /** All pods and the node. */
    List<Pod> all() {
        return Stream.concat(Stream.of(node, bridgedClient, routedClient), backends.stream())
                .toList();
    }

    /** The rules of the node as they stood before Sluice ran. */
    String foreignRules() {
        return foreignRules;
    }

    /** Sockets that the program holds when it has no Service. */
    int idleSockets() {
        return idleSockets;
    }

    /** Makes all as it was at the beginning, whatever a test left. */
    void reset() throws IOException, RedirectException {
        for (Pod pod : all()) {
            pod.closeAll();
        }
        for (Pod backend : backends) {
            backend.namespace().run("nft", "flush", "ruleset");
        }
        resetRules();
        node.namespace().run("conntrack", "-F");
    }

    /** The same for the rules of the node only. */
    void resetRules() throws RedirectException {
        Namespace host = node.namespace();
        if (!host.ruleset().equals(foreignRules)) {
            host.run("nft", "flush", "ruleset");
            for (String program : List.of("iptables-legacy", "ip6tables-legacy")) {
                for (String table : List.of("nat", "filter")) {
                    host.run(program, "-t", table, "-F");
                    host.run(program, "-t", table, "-X");
                }
            }
            host.restore("iptables-nft-restore", FOREIGN);
        }
    }

    private int countIdleSockets() throws IOException, RedirectException, InterruptedException {
        Path folder = Files.createTempDirectory("sluice-idle");
        List<String> arguments =
                List.of(
                        "run",
                        "--manifests",
                        folder.toString(),
                        "--set",
                        "state.directory=" + folder.resolve("state"));
        Sluice idle = Sluice.start(node.namespace(), arguments);
        try {
            return idle.awaitServing().sockets();
        } finally {
            idle.terminate();
            idle.awaitExit(Duration.ofSeconds(10));
            Testbed.delete(folder);
        }
    }

    @Override
    public void close() throws IOException, RedirectException {
        for (Pod pod : all()) {
            pod.close();
        }
        closeAll(namespaces);
    }

    private static void closeAll(List<Namespace> namespaces) throws IOException, RedirectException {
        for (Namespace namespace : namespaces) {
            namespace.close();
        }
    }
}
