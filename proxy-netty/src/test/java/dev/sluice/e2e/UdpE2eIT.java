package dev.sluice.e2e;

import static dev.sluice.e2e.ThreeNodes.at;
import static dev.sluice.e2e.ThreeNodes.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.e2e.ThreeNodes.Node;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The published end-to-end tests of UDP: flows that live on, and the granular checks. */
@Timeout(180)
@DisplayName("[sig-network] Conntrack")
class UdpE2eIT {
    private static final String DNS = "{name: dns, port: 53, targetPort: 8080, protocol: UDP}";
    private static final String NODE_PORT_DNS =
            "{name: dns, port: 53, targetPort: 8080, protocol: UDP, nodePort: 30053}";
    private static final InetSocketAddress DNS4 = new InetSocketAddress("10.96.0.10", 53);
    private static final int NODE_PORT = 30053;

    /** The one that a client keeps. */
    private static final int SOURCE_PORT = 12345;

    private static final Duration CUT = Duration.ofSeconds(1);
    private static final ServiceText NAMES =
            ServiceText.named("names", "10.96.0.10", "fd00:96::10").withPort(DNS);
    private static final ServiceText NODE_PORT_NAMES =
            NAMES.withoutPorts().withPort(NODE_PORT_DNS).withSpec("type: NodePort");

    @RegisterExtension private final ThreeNodes nodes = new ThreeNodes();

    @Test
    @DisplayName(
            "should be able to preserve UDP traffic when server pod cycles for a ClusterIP service")
    void clusterIp() throws Exception {
        checkCycle(NAMES, nodes.node(3).client(), DNS4, 1, 2);
    }

    @Test
    @DisplayName(
            "should be able to preserve UDP traffic when server pod cycles for a NodePort service")
    void nodePort() throws Exception {
        checkCycle(NODE_PORT_NAMES, nodes.node(3).client(), at(nodes.node(3), NODE_PORT), 1, 2);
    }

    @Test
    @DisplayName(
            "should be able to preserve UDP traffic when server pod cycles for a NodePort service, client is hostNetwork")
    void nodePortFromTheHost() throws Exception {
        checkCycle(NODE_PORT_NAMES, nodes.node(3).host(), at(nodes.node(3), NODE_PORT), 1, 2);
    }

    @Test
    @DisplayName(
            "should be able to preserve UDP traffic when server pod cycles for a ClusterIP service with InternalTrafficPolicy set to Local")
    void internalLocal() throws Exception {
        ServiceText local = NAMES.withSpec("internalTrafficPolicy: Local");
        Pod client = nodes.node(1).client();
        nodes.apply(nodes.on(local, 1, 2));
        expectAnswer(client, DNS4, "node-1");
        // The pod on the node is gone, and comes back.
        nodes.apply(nodes.on(local, 2));
        eventually(() -> assertThat(ask(client, DNS4)).isEqualTo(Clients.TIMEOUT));
        nodes.apply(nodes.on(local, 1, 2));
        expectAnswer(client, DNS4, "node-1");
    }

    private void checkCycle(
            ServiceText service, Pod client, InetSocketAddress address, int first, int second)
            throws Exception {
        nodes.apply(nodes.on(service, first));
        expectAnswer(client, address, "node-" + first);

        nodes.apply(nodes.on(service, second));
        long changed = System.nanoTime();
        // One datagram after another, as fast as answers come. The answer of a pod that leaves in
        // that moment is lost.
        while (System.nanoTime() - changed < CUT.toNanos()) {
            assertThat(ask(client, address))
                    .isIn("node-" + first, "node-" + second, Clients.TIMEOUT);
        }
        int before = Datagrams.received(nodes.node(first).server());
        for (int i = 0; i < 50; i++) {
            assertThat(ask(client, address)).isEqualTo("node-" + second);
        }
        assertThat(Datagrams.received(nodes.node(first).server())).isEqualTo(before);
    }

    @Test
    @DisplayName("should be able to preserve UDP traffic when initial unready endpoints get ready")
    void unreadyBecomesReady() throws Exception {
        Node server = nodes.node(1);
        Pod client = nodes.node(2).client();
        nodes.apply(NODE_PORT_NAMES.with(server.server(), server.name(), "{ready: false}"));
        for (InetSocketAddress address :
                new InetSocketAddress[] {DNS4, at(nodes.node(2), NODE_PORT)}) {
            eventually(() -> assertThat(ask(client, address)).isEqualTo(Clients.REFUSED));
        }
        nodes.apply(nodes.on(NODE_PORT_NAMES, 1));
        expectAnswer(client, DNS4, "node-1");
        expectAnswer(client, at(nodes.node(2), NODE_PORT), "node-1");
    }

    private static String ask(Pod client, InetSocketAddress address) throws IOException {
        return Datagrams.ask(client, SOURCE_PORT, address, "who");
    }

    private static void expectAnswer(Pod client, InetSocketAddress address, String name) {
        eventually(() -> assertThat(ask(client, address)).isEqualTo(name));
    }

    @Test
    @DisplayName(
            "[sig-network] Networking Granular Checks: Services should function for pod-Service, node-Service and endpoint-Service: udp, basic nodePort included")
    void granularUdp() throws Exception {
        nodes.apply(nodes.on(NODE_PORT_NAMES, 1, 2, 3));
        nodes.expectDatagrams(DNS4, "node-1", "node-2", "node-3");
        nodes.expectDatagrams(
                new InetSocketAddress("fd00:96::10", 53), "node-1", "node-2", "node-3");
        nodes.expectDatagrams(nodes.node(1).server(), DNS4, "node-1", "node-2", "node-3");
        for (Node node : nodes.all()) {
            nodes.expectDatagrams(
                    nodes.outside(), at(node, NODE_PORT), "node-1", "node-2", "node-3");
        }
    }

    @Test
    @DisplayName(
            "[sig-network] Networking Granular Checks: Services should update endpoints and nodePort: udp")
    void granularUpdates() throws Exception {
        nodes.apply(nodes.on(NODE_PORT_NAMES, 1, 2, 3));
        nodes.expectDatagrams(nodes.node(1).client(), DNS4, "node-1", "node-2", "node-3");
        nodes.apply(nodes.on(NODE_PORT_NAMES, 1, 3));
        nodes.expectDatagrams(nodes.node(1).client(), DNS4, "node-1", "node-3");

        nodes.apply(nodes.on(NAMES, 1, 3));
        nodes.expectDatagrams(nodes.outside(), at(nodes.node(2), NODE_PORT), Clients.REFUSED);
        nodes.expectDatagrams(nodes.node(2).client(), DNS4, "node-1", "node-3");
    }

    @Test
    @DisplayName(
            "[sig-network] Networking Granular Checks: Services should be able to handle large requests: udp")
    void largeRequests() throws Exception {
        nodes.apply(nodes.on(NAMES, 1));
        String large = "x".repeat(2000);
        for (Node node : nodes.all()) {
            eventually(
                    () ->
                            assertThat(Datagrams.ask(node.client(), 0, DNS4, large))
                                    .isEqualTo(large));
        }
    }

    @Test
    @DisplayName(
            "[sig-network] Networking Granular Checks: Services should function for client IP based session affinity: udp")
    void affinity() throws Exception {
        nodes.apply(nodes.on(NAMES.withSpec("sessionAffinity: ClientIP"), 1, 2, 3));
        for (Node node : nodes.all()) {
            eventually(() -> assertThat(Datagrams.ask(node.client(), DNS4)).startsWith("node-"));
            String first = Datagrams.ask(node.client(), DNS4);
            // Each from another port: a session of its own.
            for (int i = 0; i < 10; i++) {
                assertThat(Datagrams.ask(node.client(), DNS4)).isEqualTo(first);
            }
        }
    }
}
