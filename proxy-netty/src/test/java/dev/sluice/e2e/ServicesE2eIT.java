package dev.sluice.e2e;

import static dev.sluice.e2e.ThreeNodes.at;
import static dev.sluice.e2e.ThreeNodes.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.e2e.ThreeNodes.Node;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The published end-to-end tests of Services, under their titles. */
@Timeout(180)
@DisplayName("[sig-network] Services")
class ServicesE2eIT {
    private static final String HTTP = "{name: http, port: 80, targetPort: 8080}";
    private static final InetSocketAddress WEB4 = new InetSocketAddress("10.96.0.10", 80);
    private static final InetSocketAddress OTHER4 = new InetSocketAddress("10.96.0.11", 80);
    private static final int NODE_PORT = 30080;

    /** So many equal answers in a row are affinity (AffinityConfirmCount). */
    private static final int CONFIRM_COUNT = 15;

    private static final ServiceText WEB =
            ServiceText.named("web", "10.96.0.10", "fd00:96::10").withPort(HTTP);
    private static final ServiceText OTHER =
            ServiceText.named("other", "10.96.0.11", "fd00:96::11").withPort(HTTP);
    private static final ServiceText NODE_PORT_WEB =
            WEB.withoutPorts()
                    .withSpec("type: NodePort")
                    .withPort("{name: http, port: 80, targetPort: 8080, nodePort: 30080}");

    @RegisterExtension private final ThreeNodes nodes = new ThreeNodes();

    @Test
    @DisplayName("should serve a basic endpoint from pods [Conformance]")
    void basicEndpoint() throws Exception {
        nodes.apply(WEB);
        nodes.expectRefused(WEB4);
        nodes.apply(nodes.on(WEB, 1));
        nodes.expectAnswers(WEB4, "node-1");
        nodes.apply(nodes.on(WEB, 1, 2));
        nodes.expectAnswers(WEB4, "node-1", "node-2");
        nodes.apply(nodes.on(WEB, 2));
        nodes.expectAnswers(WEB4, "node-2");
        nodes.apply(WEB);
        nodes.expectRefused(WEB4);
    }

    @Test
    @DisplayName("should serve multiport endpoints from pods [Conformance]")
    void multiportEndpoints() throws Exception {
        nodes.apply(twoPorts());
        nodes.apply(
                slice("a", "portname1", nodes.node(1)) + slice("b", "portname2", nodes.node(2)));
        nodes.expectAnswers(new InetSocketAddress("10.96.0.10", 80), "node-1");
        nodes.expectAnswers(new InetSocketAddress("10.96.0.10", 81), "node-2");

        nodes.apply(slice("a", "portname1"));
        nodes.expectRefused(new InetSocketAddress("10.96.0.10", 80));
        nodes.expectAnswers(new InetSocketAddress("10.96.0.10", 81), "node-2");
    }

    @Test
    @DisplayName(
            "should support a Service with multiple ports specified in multiple EndpointSlices [Conformance]")
    void multiplePortsInMultipleSlices() throws Exception {
        nodes.apply(twoPorts());
        nodes.apply(
                slice("a", "portname1", nodes.node(1)) + slice("b", "portname2", nodes.node(1)));
        nodes.expectAnswers(new InetSocketAddress("10.96.0.10", 80), "node-1");
        nodes.expectAnswers(new InetSocketAddress("10.96.0.10", 81), "node-1");
    }

    @Test
    @DisplayName(
            "should support a Service with multiple endpoint IPs specified in multiple EndpointSlices [Conformance]")
    void multipleEndpointsInMultipleSlices() throws Exception {
        nodes.apply(twoPorts());
        nodes.apply(
                slice("a", "portname1", nodes.node(1)) + slice("b", "portname1", nodes.node(2)));
        nodes.expectAnswers(new InetSocketAddress("10.96.0.10", 80), "node-1", "node-2");
    }

    private static String twoPorts() {
        return WEB.withoutPorts()
                .withPort("{name: portname1, port: 80, targetPort: 8080}")
                .withPort("{name: portname2, port: 81, targetPort: 8080}")
                .yaml();
    }

    private static String slice(String name, String port, Node... nodes) {
        return """
        ---
        apiVersion: discovery.k8s.io/v1
        kind: EndpointSlice
        metadata: {name: web-%s, labels: {kubernetes.io/service-name: web}}
        addressType: IPv4
        ports: [{name: %s, port: 8080}]
        endpoints: [%s]
        """
                .formatted(
                        name,
                        port,
                        Stream.of(nodes)
                                .map(node -> "{addresses: [" + node.server().ipv4() + "]}")
                                .collect(Collectors.joining(", ")));
    }

    @Test
    @DisplayName("should be able to create a functioning NodePort service [Conformance]")
    void functioningNodePort() throws Exception {
        nodes.apply(nodes.on(NODE_PORT_WEB, 1, 2));
        nodes.expectAnswers(WEB4, "node-1", "node-2");
        for (Node node : nodes.all()) {
            nodes.expectAnswers(at(node, NODE_PORT), "node-1", "node-2");
            nodes.expectAnswers(nodes.outside(), at(node, NODE_PORT), "node-1", "node-2");
        }
    }

    @Test
    @DisplayName(
            "should be able to change the type from ExternalName to ClusterIP, and back [Conformance]")
    void externalNameToClusterIp() throws Exception {
        ServiceText external =
                nodes.on(WEB, 1).withSpec("type: ExternalName\nexternalName: example.com");
        nodes.apply(external);
        nodes.apply(nodes.on(WEB, 1, 2));
        nodes.expectAnswers(WEB4, "node-1", "node-2");
        nodes.apply(external);
        for (Node node : nodes.all()) {
            eventually(() -> assertThat(ThreeNodes.rules(node)).doesNotContain("10.96."));
        }
    }

    @Test
    @DisplayName(
            "should be able to change the type from ExternalName to NodePort, and back [Conformance]")
    void externalNameToNodePort() throws Exception {
        ServiceText external =
                nodes.on(NODE_PORT_WEB, 1)
                        .withSpec("type: ExternalName\nexternalName: example.com");
        nodes.apply(external);
        nodes.apply(nodes.on(NODE_PORT_WEB, 1, 2));
        nodes.expectAnswers(at(nodes.node(3), NODE_PORT), "node-1", "node-2");
        nodes.apply(external);
        nodes.expectRefused(at(nodes.node(3), NODE_PORT));
    }

    @Test
    @DisplayName("should have session affinity work for service with type clusterIP [Conformance]")
    void affinityForClusterIp() throws Exception {
        nodes.apply(sticky(nodes.on(WEB, 1, 2, 3)));
        expectSticky(WEB4);
    }

    @Test
    @DisplayName("should have session affinity work for NodePort service [Conformance]")
    void affinityForNodePort() throws Exception {
        nodes.apply(sticky(nodes.on(NODE_PORT_WEB, 1, 2, 3)));
        expectSticky(at(nodes.node(2), NODE_PORT));
    }

    @Test
    @DisplayName(
            "should be able to switch session affinity for service with type clusterIP [Conformance]")
    void affinityIsSwitchedForClusterIp() throws Exception {
        nodes.apply(sticky(nodes.on(WEB, 1, 2, 3)));
        expectSticky(WEB4);
        nodes.apply(nodes.on(WEB, 1, 2, 3));
        nodes.expectAnswers(WEB4, "node-1", "node-2", "node-3");
        nodes.apply(sticky(nodes.on(WEB, 1, 2, 3)));
        expectSticky(WEB4);
    }

    @Test
    @DisplayName("should be able to switch session affinity for NodePort service [Conformance]")
    void affinityIsSwitchedForNodePort() throws Exception {
        InetSocketAddress nodePort = at(nodes.node(2), NODE_PORT);
        nodes.apply(sticky(nodes.on(NODE_PORT_WEB, 1, 2, 3)));
        expectSticky(nodePort);
        nodes.apply(nodes.on(NODE_PORT_WEB, 1, 2, 3));
        nodes.expectAnswers(nodePort, "node-1", "node-2", "node-3");
        nodes.apply(sticky(nodes.on(NODE_PORT_WEB, 1, 2, 3)));
        expectSticky(nodePort);
    }

    private static ServiceText sticky(ServiceText service) {
        return service.withSpec(service.spec() + "\nsessionAffinity: ClientIP");
    }

    private void expectSticky(InetSocketAddress service) {
        for (Node node : nodes.all()) {
            eventually(
                    () ->
                            assertThat(node.client().ask(service, CONFIRM_COUNT))
                                    .hasSize(1)
                                    .doesNotContainKey(Clients.REFUSED));
        }
    }

    @Test
    @DisplayName("should serve endpoints on same port and different protocols [Conformance]")
    void samePortDifferentProtocols() throws Exception {
        String udp = "{name: dns, port: 80, targetPort: 8080, protocol: UDP}";
        ServiceText both = nodes.on(WEB, 1).withPort(udp);
        nodes.apply(both);
        nodes.expectAnswers(WEB4, "node-1");
        nodes.expectDatagrams(WEB4, "node-1");

        nodes.apply(nodes.on(WEB, 1));
        nodes.expectDatagrams(WEB4, Clients.REFUSED);
        nodes.expectAnswers(WEB4, "node-1");

        nodes.apply(both.withoutPorts().withPort(udp));
        nodes.expectRefused(WEB4);
        nodes.expectDatagrams(WEB4, "node-1");
    }

    @Test
    @DisplayName("should allow pods to hairpin back to themselves through services")
    void hairpin() throws Exception {
        nodes.apply(nodes.on(WEB, 2));
        nodes.expectAnswers(nodes.node(2).server(), WEB4, "node-2");
    }

    @Test
    @DisplayName("should be able to up and down services")
    void upAndDown() throws Exception {
        nodes.apply(nodes.on(WEB, 1, 2, 3));
        nodes.apply(nodes.on(OTHER, 1, 2, 3));
        nodes.expectAnswers(WEB4, "node-1", "node-2", "node-3");
        nodes.expectAnswers(OTHER4, "node-1", "node-2", "node-3");

        nodes.delete(WEB);
        expectGone("10.96.0.10");
        nodes.expectAnswers(OTHER4, "node-1", "node-2", "node-3");

        nodes.apply(nodes.on(ServiceText.named("third", "10.96.0.12").withPort(HTTP), 1, 2, 3));
        nodes.expectAnswers(new InetSocketAddress("10.96.0.12", 80), "node-1", "node-2", "node-3");
    }

    private void expectGone(String clusterIp) {
        for (Node node : nodes.all()) {
            eventually(() -> assertThat(ThreeNodes.rules(node)).doesNotContain(clusterIp + "/32"));
        }
    }

    @Test
    @DisplayName("should work after the service has been recreated")
    void recreated() throws Exception {
        nodes.apply(nodes.on(WEB, 1));
        nodes.expectAnswers(WEB4, "node-1");
        nodes.delete(WEB);
        nodes.apply(nodes.on(ServiceText.named("web", "10.96.0.20").withPort(HTTP), 1));
        nodes.expectAnswers(new InetSocketAddress("10.96.0.20", 80), "node-1");
        expectGone("10.96.0.10");
    }

    @Test
    @DisplayName("should work after restarting kube-proxy [Disruptive]")
    void restarted() throws Exception {
        nodes.apply(nodes.on(WEB, 1, 2, 3));
        nodes.apply(nodes.on(OTHER, 1, 2, 3));
        nodes.expectAnswers(WEB4, "node-1", "node-2", "node-3");

        nodes.restart(2);
        nodes.expectAnswers(WEB4, "node-1", "node-2", "node-3");
        nodes.expectAnswers(OTHER4, "node-1", "node-2", "node-3");
    }

    @Test
    @DisplayName(
            "should be able to change the type and nodePort settings of a service, TCP and UDP")
    void typeAndPortsChange() throws Exception {
        ServiceText both =
                NODE_PORT_WEB.withPort(
                        "{name: dns, port: 80, targetPort: 8080, protocol: UDP, nodePort: 30080}");
        nodes.apply(nodes.on(both, 1));
        InetSocketAddress first = at(nodes.node(3), NODE_PORT);
        nodes.expectAnswers(first, "node-1");
        nodes.expectDatagrams(first, "node-1");

        nodes.apply(
                nodes.on(
                        WEB.withoutPorts()
                                .withSpec("type: NodePort")
                                .withPort(
                                        "{name: http, port: 80, targetPort: 8080, nodePort: 30081}"),
                        1));
        nodes.expectAnswers(at(nodes.node(3), 30081), "node-1");
        nodes.expectRefused(first);
        nodes.expectDatagrams(first, Clients.REFUSED);

        nodes.apply(
                nodes.on(
                        WEB.withoutPorts().withPort("{name: http, port: 81, targetPort: 8080}"),
                        1));
        nodes.expectAnswers(new InetSocketAddress("10.96.0.10", 81), "node-1");
        nodes.expectRefused(WEB4);
        nodes.expectRefused(at(nodes.node(3), 30081));
    }

    @Test
    @DisplayName(
            "should be able to update service type to NodePort listening on same port number but different protocols")
    void nodePortOnSameNumber() throws Exception {
        nodes.apply(nodes.on(WEB, 1));
        nodes.expectAnswers(WEB4, "node-1");
        nodes.apply(
                nodes.on(
                        NODE_PORT_WEB.withPort(
                                "{name: dns, port: 80, targetPort: 8080, protocol: UDP, nodePort: 30080}"),
                        1));
        for (Node node : nodes.all()) {
            nodes.expectAnswers(nodes.outside(), at(node, NODE_PORT), "node-1");
            nodes.expectDatagrams(nodes.outside(), at(node, NODE_PORT), "node-1");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "service.kubernetes.io/service-proxy-name: foo-bar",
                "service.kubernetes.io/headless: \"\""
            })
    @DisplayName(
            "should implement service.kubernetes.io/service-proxy-name and service.kubernetes.io/headless")
    void labels(String label) throws Exception {
        nodes.apply(nodes.on(OTHER, 1));
        nodes.apply(labelled(nodes.on(WEB, 1), label));
        nodes.expectAnswers(OTHER4, "node-1");
        expectGone("10.96.0.10");

        nodes.apply(nodes.on(WEB, 1));
        nodes.expectAnswers(WEB4, "node-1");
        nodes.apply(labelled(nodes.on(WEB, 1), label));
        expectGone("10.96.0.10");
        nodes.expectAnswers(OTHER4, "node-1");
    }

    private static String labelled(ServiceText service, String label) {
        return service.yaml()
                .replaceFirst(
                        "metadata: \\{name: web}",
                        "metadata: {name: web, labels: {" + label + "}}");
    }

    @Test
    @DisplayName("should be rejected when no endpoints exist")
    void rejected() throws Exception {
        nodes.apply(NODE_PORT_WEB);
        nodes.expectRefused(WEB4);
        nodes.expectRefused(at(nodes.node(1), NODE_PORT));
        nodes.expectAnswers(nodes.outside(), at(nodes.node(1), NODE_PORT), Clients.REFUSED);
    }

    @Test
    @DisplayName(
            "should be able to connect to terminating and unready endpoints if PublishNotReadyAddresses is true")
    void unreadyEndpoints() throws Exception {
        Pod server = nodes.node(1).server();
        // What the controller of the slices writes for such a Service.
        nodes.apply(
                NODE_PORT_WEB.with(
                        server, "node-1", "{ready: true, serving: true, terminating: true}"));
        nodes.expectAnswers(WEB4, "node-1");
        nodes.expectAnswers(at(nodes.node(2), NODE_PORT), "node-1");

        nodes.apply(
                NODE_PORT_WEB.with(
                        server, "node-1", "{ready: false, serving: false, terminating: true}"));
        nodes.expectRefused(WEB4);
        nodes.expectRefused(at(nodes.node(2), NODE_PORT));
    }

    @Test
    @DisplayName("should recreate its iptables rules if they are deleted [Disruptive]")
    void rulesComeBack() throws Exception {
        nodes.apply(nodes.on(WEB, 1));
        nodes.expectAnswers(WEB4, "node-1");
        nodes.node(2).host().namespace().run("nft", "flush", "ruleset");
        nodes.expectAnswers(WEB4, "node-1");
        eventually(() -> assertThat(ThreeNodes.rules(nodes.node(2))).contains("10.96.0.10/32"));
    }

    @Test
    @DisplayName("[sig-network] Networking should check kube-proxy urls")
    void urls() throws Exception {
        for (Node node : nodes.all()) {
            assertThat(node.host().get("http://127.0.0.1:10256/healthz"))
                    .startsWith("200 ")
                    .contains("lastUpdated");
            assertThat(node.host().get("http://127.0.0.1:10249/proxyMode")).startsWith("200 ");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "10.96.0.10",
                "fd00:96::10",
                "10.96.0.10 fd00:96::10",
                "fd00:96::10 10.96.0.10"
            })
    @DisplayName(
            "[Feature:IPv6DualStack] should create service with each family and order of cluster ips")
    void dualStack(String clusterIps) throws Exception {
        List<String> addresses = List.of(clusterIps.split(" ", -1));
        nodes.apply(
                nodes.on(
                        ServiceText.named("web", addresses.toArray(String[]::new)).withPort(HTTP),
                        1,
                        2));
        for (String address : addresses) {
            nodes.expectAnswers(new InetSocketAddress(address, 80), "node-1", "node-2");
        }
    }
}
