package dev.sluice.e2e;

import static dev.sluice.e2e.ThreeNodes.at;
import static dev.sluice.e2e.ThreeNodes.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.e2e.ThreeNodes.Node;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The published end-to-end tests of traffic policies, terminating pods and topology. */
@Timeout(180)
@DisplayName("[sig-network] Services")
class PoliciesE2eIT {
    private static final String HTTP = "{name: http, port: 80, targetPort: 8080}";
    private static final String NODE_PORT_HTTP =
            "{name: http, port: 80, targetPort: 8080, nodePort: 30080}";
    private static final String TERMINATING = "{ready: false, serving: true, terminating: true}";
    private static final InetSocketAddress WEB4 = new InetSocketAddress("10.96.0.10", 80);
    private static final InetSocketAddress BALANCER = new InetSocketAddress("203.0.113.1", 80);
    private static final int NODE_PORT = 30080;
    private static final ServiceText WEB =
            ServiceText.named("web", "10.96.0.10", "fd00:96::10").withPort(HTTP);
    private static final ServiceText INTERNAL_LOCAL = WEB.withSpec("internalTrafficPolicy: Local");
    private static final ServiceText EXTERNAL_CLUSTER =
            WEB.withoutPorts().withPort(NODE_PORT_HTTP).withSpec("type: NodePort");
    private static final ServiceText EXTERNAL_LOCAL =
            EXTERNAL_CLUSTER.withSpec("type: NodePort\nexternalTrafficPolicy: Local");

    @RegisterExtension private final ThreeNodes nodes = new ThreeNodes();

    @Test
    @DisplayName(
            "should respect internalTrafficPolicy=Local Pod to Pod, and Pod to Pod (hostNetwork: true)")
    void internalLocal() throws Exception {
        nodes.apply(nodes.on(INTERNAL_LOCAL, 1));
        nodes.expectAnswers(nodes.node(1).client(), WEB4, "node-1");
        nodes.expectAnswers(nodes.node(1).host(), WEB4, "node-1");
        nodes.expectSilence(nodes.node(2).client(), WEB4);
        nodes.expectSilence(nodes.node(2).host(), WEB4);

        nodes.apply(INTERNAL_LOCAL);
        nodes.expectRefused(WEB4);
    }

    @Test
    @DisplayName(
            "should fallback to terminating endpoints when there are no ready endpoints with internalTrafficPolicy=Cluster")
    void terminatingInternalCluster() throws Exception {
        nodes.apply(terminatingOn1(WEB));
        nodes.expectAnswers(WEB4, "node-1");
    }

    @Test
    @DisplayName(
            "should fallback to local terminating endpoints when there are no ready endpoints with internalTrafficPolicy=Local")
    void terminatingInternalLocal() throws Exception {
        nodes.apply(terminatingOn1(INTERNAL_LOCAL));
        nodes.expectAnswers(nodes.node(1).client(), WEB4, "node-1");
        nodes.expectSilence(nodes.node(2).client(), WEB4);
    }

    @Test
    @DisplayName(
            "should fallback to terminating endpoints when there are no ready endpoints with externalTrafficPolicy=Cluster")
    void terminatingExternalCluster() throws Exception {
        nodes.apply(terminatingOn1(EXTERNAL_CLUSTER));
        for (Node node : nodes.all()) {
            nodes.expectAnswers(nodes.outside(), at(node, NODE_PORT), "node-1");
        }
    }

    @Test
    @DisplayName(
            "should fallback to local terminating endpoints when there are no ready endpoints with externalTrafficPolicy=Local")
    void terminatingExternalLocal() throws Exception {
        nodes.apply(terminatingOn1(EXTERNAL_LOCAL));
        nodes.expectAnswers(nodes.outside(), at(nodes.node(1), NODE_PORT), "node-1");
        nodes.expectSilence(nodes.outside(), at(nodes.node(2), NODE_PORT));
    }

    private ServiceText terminatingOn1(ServiceText service) {
        return service.with(nodes.node(1).server(), "node-1", TERMINATING)
                // It neither is ready nor serves.
                .with(nodes.node(2).server(), "node-2", "{ready: false, serving: false}");
    }

    @Test
    @DisplayName(
            "should implement NodePort and LoadBalancer correctly when ExternalTrafficPolicy changes")
    void externalPolicyChanges() throws Exception {
        nodes.apply(nodes.on(EXTERNAL_LOCAL, 1));
        nodes.expectSilence(nodes.outside(), at(nodes.node(2), NODE_PORT));
        nodes.expectAnswers(nodes.outside(), at(nodes.node(1), NODE_PORT), "node-1");
        // The node and its pods get the whole Service.
        nodes.expectAnswers(nodes.node(2).host(), at(nodes.node(2), NODE_PORT), "node-1");
        nodes.expectAnswers(nodes.node(2).client(), at(nodes.node(2), NODE_PORT), "node-1");

        nodes.apply(nodes.on(EXTERNAL_CLUSTER, 1));
        nodes.expectAnswers(nodes.outside(), at(nodes.node(2), NODE_PORT), "node-1");
    }

    @Test
    @DisplayName(
            "should fail health check node port if there are only terminating endpoints; should only target nodes with endpoints")
    void healthCheckNodePort() throws Exception {
        ServiceText balanced =
                EXTERNAL_LOCAL.withSpec(
                        "type: LoadBalancer\nexternalTrafficPolicy: Local\nhealthCheckNodePort: 32080");
        nodes.apply(nodes.on(balanced, 1));
        expectHealth(1, "200 ");
        expectHealth(2, "503 ");

        nodes.apply(balanced.with(nodes.node(1).server(), "node-1", TERMINATING));
        expectHealth(1, "503 ");
        nodes.expectAnswers(nodes.outside(), at(nodes.node(1), NODE_PORT), "node-1");

        nodes.apply(nodes.on(EXTERNAL_CLUSTER, 1));
        eventually(
                () ->
                        assertThat(
                                        nodes.outside()
                                                .askBriefly(
                                                        new InetSocketAddress("192.0.2.11", 32080)))
                                .isEqualTo(Clients.REFUSED));
    }

    private void expectHealth(int number, String status) {
        Node node = nodes.node(number);
        eventually(
                () ->
                        assertThat(nodes.outside().get("http://" + node.ipv4() + ":32080/healthz"))
                                .startsWith(status));
    }

    @Test
    @DisplayName("should only allow access from service loadbalancer source ranges [Slow]")
    void sourceRanges() throws Exception {
        Pod accepted = nodes.node(1).client();
        Pod dropped = nodes.node(2).client();
        nodes.apply(nodes.on(balanced(accepted), 3));
        nodes.expectAnswers(accepted, BALANCER, "node-3");
        nodes.expectSilence(dropped, BALANCER);

        nodes.apply(nodes.on(balanced(dropped), 3));
        nodes.expectAnswers(dropped, BALANCER, "node-3");
        nodes.expectSilence(accepted, BALANCER);

        nodes.apply(nodes.on(balanced(), 3));
        nodes.expectAnswers(accepted, BALANCER, "node-3");
        nodes.expectAnswers(dropped, BALANCER, "node-3");
    }

    private static ServiceText balanced(Pod... allowed) {
        StringBuilder spec = new StringBuilder("type: LoadBalancer");
        for (Pod pod : allowed) {
            spec.append("\nloadBalancerSourceRanges: [").append(pod.ipv4()).append("/32]");
        }
        return WEB.withSpec(spec.toString())
                .withStatus("{loadBalancer: {ingress: [{ip: 203.0.113.1}]}}");
    }

    @Test
    @DisplayName(
            "[sig-network] Traffic Distribution should route traffic to an endpoint in the same zone when using PreferSameZone")
    void sameZone() throws Exception {
        tellZones();
        nodes.apply(hinted("forZones: [{name: zone-%d}]", 1, 2, 3));
        expectOwn();

        // Without an endpoint in the zone all others serve it.
        nodes.apply(hinted("forZones: [{name: zone-%d}]", 2, 3));
        nodes.expectAnswers(nodes.node(1).client(), WEB4, "node-2", "node-3");
        nodes.expectAnswers(nodes.node(2).client(), WEB4, "node-2");
    }

    @Test
    @DisplayName(
            "[sig-network] Traffic Distribution should route traffic to an endpoint on the same node or fall back to same zone when using PreferSameNode")
    void sameNode() throws Exception {
        tellZones();
        String hints = "forZones: [{name: zone-%1$d}], forNodes: [{name: node-%1$d}]";
        nodes.apply(hinted(hints, 1, 2, 3));
        expectOwn();

        nodes.apply(hinted(hints, 2, 3));
        nodes.expectAnswers(nodes.node(1).client(), WEB4, "node-2", "node-3");
        nodes.apply(hinted(hints, 1, 2, 3));
        expectOwn();
    }

    private void tellZones() throws Exception {
        for (int number = 1; number <= 3; number++) {
            nodes.apply(
                    """
                    apiVersion: v1
                    kind: Node
                    metadata: {name: node-%1$d, labels: {topology.kubernetes.io/zone: zone-%1$d}}
                    """
                            .formatted(number));
        }
    }

    private ServiceText hinted(String hints, int... numbers) {
        ServiceText service = WEB;
        for (int number : numbers) {
            service =
                    service.with(
                            nodes.node(number).server(),
                            "node-" + number,
                            "{ready: true}, hints: {" + hints.formatted(number) + "}");
        }
        return service;
    }

    private void expectOwn() {
        for (Node node : nodes.all()) {
            nodes.expectAnswers(node.client(), WEB4, node.name());
            nodes.expectAnswers(node.host(), WEB4, node.name());
        }
    }
}
