package dev.sluice.e2e;

import static dev.sluice.e2e.Testbed.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * NodePorts, load balancer addresses, policies and UDP on a real node: the bridged client is one of
 * its pods, the routed one counts as somebody from elsewhere.
 */
@Timeout(120)
class FrontEndsIT {
    private static final String HTTP = "{name: http, port: 80, targetPort: 8080}";
    private static final String HTTP_NODE_PORT =
            "{name: http, port: 80, targetPort: 8080, nodePort: 30080}";
    private static final String DNS = "{name: dns, port: 53, targetPort: 8080, protocol: UDP}";
    private static final String DNS_NODE_PORT =
            "{name: dns, port: 53, targetPort: 8080, protocol: UDP, nodePort: 30080}";
    private static final String HERE = "node-1";
    private static final String THERE = "node-2";
    private static final String[] NODE = {
        "--set", "node.name=" + HERE,
        "--set", "node.detect-local.mode=cluster-cidr",
        "--set", "node.detect-local.cluster-cidrs=10.1.0.0/24,fd01::/64"
    };
    private static final InetSocketAddress DNS4 = new InetSocketAddress("10.96.0.2", 53);
    private static final InetSocketAddress DNS6 = new InetSocketAddress("fd00:96::2", 53);
    private static final ServiceText WEB =
            ServiceText.named("web", "10.96.0.2", "fd00:96::2").withPort(HTTP).withPort(DNS);

    @RegisterExtension private final Testbed bed = new Testbed();

    private void apply(ServiceText service) throws Exception {
        bed.write(service.name() + ".yaml", service.yaml());
    }

    private static InetSocketAddress nodePort(String address) {
        return new InetSocketAddress(address, 30080);
    }

    @ParameterizedTest
    @ValueSource(strings = {"legacy", "nft"})
    void datagramsToAClusterIpAreAnsweredFromItWhoeverAsks(String flavour) throws Exception {
        Datagrams.serve(bed.a(), "a");
        Datagrams.serve(bed.c(), "c");
        apply(WEB.with(bed.a(), HERE).with(bed.c(), THERE));
        bed.start("--set", "redirect.flavour=" + flavour);

        for (Pod client : bed.clients()) {
            assertThat(Datagrams.ask(client, DNS4)).as(client + " IPv4").isIn("a", "c");
            assertThat(Datagrams.ask(client, DNS6)).as(client + " IPv6").isIn("a", "c");
            String large = "x".repeat(2_000);
            assertThat(Datagrams.ask(client, 0, DNS4, large)).isEqualTo(large);
            // The same number over the other protocol.
            assertThat(client.ask(new InetSocketAddress("10.96.0.2", 80))).isIn("a", "c");
        }
    }

    /** Conntrack: a client with one port sends on while the pod behind the Service is replaced. */
    @Test
    void udpTrafficIsPreservedWhenTheServerPodCycles() throws Exception {
        Datagrams.serve(bed.a(), "a");
        Datagrams.serve(bed.b(), "b");
        apply(WEB.with(bed.a(), HERE));
        bed.start(NODE);
        assertThat(Datagrams.ask(bed.bridgedClient(), 40_000, DNS4, "who")).isEqualTo("a");

        apply(WEB.with(bed.b(), HERE));

        eventually(
                () ->
                        assertThat(Datagrams.ask(bed.bridgedClient(), 40_000, DNS4, "who"))
                                .isEqualTo("b"));
        int before = Datagrams.received(bed.a());
        for (int i = 0; i < 20; i++) {
            assertThat(Datagrams.ask(bed.bridgedClient(), 40_000, DNS4, "who")).isEqualTo("b");
        }
        assertThat(Datagrams.received(bed.a())).isEqualTo(before);
    }

    /** Conntrack: a client begins before there is any endpoint, and before there is the Service. */
    @Test
    void udpTrafficThatIsOlderThanTheFirstEndpointIsServedOnceThereIsOne() throws Exception {
        Datagrams.serve(bed.a(), "a");
        bed.start(NODE);
        assertThat(Datagrams.ask(bed.bridgedClient(), 40_001, DNS4, "who")).isNotEqualTo("a");

        apply(WEB);
        eventually(
                () ->
                        assertThat(Datagrams.ask(bed.bridgedClient(), 40_001, DNS4, "who"))
                                .isEqualTo(Clients.REFUSED));

        apply(WEB.with(bed.a(), HERE));
        eventually(
                () ->
                        assertThat(Datagrams.ask(bed.bridgedClient(), 40_001, DNS4, "who"))
                                .isEqualTo("a"));
    }

    @Test
    void aNodePortIsServedOnEveryAddressOfTheNodeOverBothProtocols() throws Exception {
        Datagrams.serve(bed.a(), "a");
        ServiceText nodePort =
                WEB.withoutPorts()
                        .withSpec("type: NodePort")
                        .withPort(HTTP_NODE_PORT)
                        .withPort(DNS_NODE_PORT)
                        .with(bed.a(), THERE);
        apply(nodePort);
        bed.start(NODE);

        for (String address : List.of("127.0.0.1", "192.0.2.10", "10.1.0.1", "2001:db8::10")) {
            assertThat(bed.node().ask(nodePort(address))).as(address).isEqualTo("a");
            assertThat(Datagrams.ask(bed.node(), nodePort(address))).as(address).isEqualTo("a");
        }
        for (Pod client : List.of(bed.bridgedClient(), bed.routedClient())) {
            for (String address : List.of("192.0.2.10", "2001:db8::10")) {
                assertThat(client.ask(nodePort(address))).isEqualTo("a");
                assertThat(Datagrams.ask(client, nodePort(address))).isEqualTo("a");
            }
        }
        String forwarded =
                bed.node().namespace().run("sysctl", "-n", "net.ipv4.conf.all.route_localnet");
        assertThat(forwarded.strip()).isEqualTo("0");

        // Services should be able to change the type and ports: TCP only, then none.
        apply(nodePort.withoutPorts().withPort(HTTP_NODE_PORT).withPort(DNS));
        eventually(
                () ->
                        assertThat(Datagrams.ask(bed.routedClient(), nodePort("192.0.2.10")))
                                .isEqualTo(Clients.REFUSED));
        assertThat(bed.routedClient().ask(nodePort("192.0.2.10"))).isEqualTo("a");
        apply(WEB.with(bed.a(), THERE));
        eventually(
                () ->
                        assertThat(bed.routedClient().ask(nodePort("192.0.2.10")))
                                .isEqualTo(Clients.REFUSED));
    }

    @Test
    void anExternalPolicyOfLocalDropsOthersWithoutALocalEndpointAndServesThemFromOne()
            throws Exception {
        ServiceText local =
                WEB.withoutPorts()
                        .withSpec("type: NodePort\nexternalTrafficPolicy: Local")
                        .withPort(HTTP_NODE_PORT);
        apply(local.with(bed.a(), THERE));
        bed.start(NODE);

        assertThat(bed.routedClient().askBriefly(nodePort("192.0.2.10")))
                .isEqualTo(Clients.TIMEOUT);
        assertThat(bed.bridgedClient().ask(nodePort("192.0.2.10"))).isEqualTo("a");
        assertThat(bed.node().ask(nodePort("192.0.2.10"))).isEqualTo("a");
        assertThat(bed.node().ask(nodePort("127.0.0.1"))).isEqualTo("a");

        apply(local.with(bed.a(), THERE).with(bed.b(), HERE));
        eventually(
                () ->
                        assertThat(bed.routedClient().ask(nodePort("192.0.2.10"), 4))
                                .containsOnlyKeys("b"));
        assertThat(bed.bridgedClient().ask(nodePort("192.0.2.10"), 4)).containsOnlyKeys("a", "b");

        // Fallback to terminating endpoints: the local one serves on while nothing else is here.
        apply(
                local.with(bed.a(), THERE)
                        .with(bed.b(), HERE, "{ready: false, serving: true, terminating: true}"));
        eventually(
                () ->
                        assertThat(bed.bridgedClient().ask(nodePort("192.0.2.10"), 4))
                                .containsOnlyKeys("a"));
        assertThat(bed.routedClient().ask(nodePort("192.0.2.10"), 4)).containsOnlyKeys("b");

        apply(local);
        eventually(
                () ->
                        assertThat(bed.routedClient().ask(nodePort("192.0.2.10")))
                                .isEqualTo(Clients.REFUSED));
    }

    @Test
    void anInternalPolicyOfLocalDropsEverybodyWithoutALocalEndpoint() throws Exception {
        ServiceText local = WEB.withSpec("internalTrafficPolicy: Local");
        InetSocketAddress web = new InetSocketAddress("10.96.0.2", 80);
        Datagrams.serve(bed.b(), "b");
        apply(local.with(bed.a(), THERE));
        bed.start(NODE);

        for (Pod client : bed.clients()) {
            assertThat(client.askBriefly(web)).as(client.toString()).isEqualTo(Clients.TIMEOUT);
        }
        assertThat(Datagrams.ask(bed.bridgedClient(), DNS4)).isEqualTo(Clients.TIMEOUT);

        apply(local.with(bed.a(), THERE).with(bed.b(), HERE));
        eventually(() -> assertThat(bed.routedClient().ask(web, 4)).containsOnlyKeys("b"));
        assertThat(bed.node().ask(web, 4)).containsOnlyKeys("b");
        assertThat(Datagrams.ask(bed.bridgedClient(), DNS4)).isEqualTo("b");
    }

    @Test
    void aLoadBalancerAddressIsServedHereWithItsRangesAndLeftAloneAsAProxy() throws Exception {
        Datagrams.serve(bed.a(), "a");
        ServiceText balanced =
                WEB.withSpec("type: LoadBalancer\nloadBalancerSourceRanges: [10.2.0.3/32]")
                        .withStatus(
                                "{loadBalancer: {ingress: [{ip: 203.0.113.1, ipMode: VIP},"
                                        + " {ip: 203.0.113.2, ipMode: Proxy},"
                                        + " {ip: \"2001:db8:1::1\"}]}}")
                        .with(bed.a(), THERE);
        InetSocketAddress vip = new InetSocketAddress("203.0.113.1", 80);
        InetSocketAddress vip6 = new InetSocketAddress("2001:db8:1::1", 80);
        InetSocketAddress vipDns = new InetSocketAddress("203.0.113.1", 53);
        apply(balanced);
        bed.start(NODE);

        assertThat(bed.routedClient().ask(vip)).isEqualTo("a");
        assertThat(Datagrams.ask(bed.routedClient(), vipDns)).isEqualTo("a");
        assertThat(bed.bridgedClient().askBriefly(vip)).isEqualTo(Clients.TIMEOUT);
        assertThat(bed.node().askBriefly(vip)).isEqualTo(Clients.TIMEOUT);
        assertThat(bed.routedClient().askBriefly(vip6)).isEqualTo(Clients.TIMEOUT);
        assertThat(bed.ruleset()).contains("203.0.113.1").doesNotContain("203.0.113.2");

        apply(balanced.withSpec("type: LoadBalancer\nloadBalancerSourceRanges: [10.1.0.2/32]"));
        eventually(() -> assertThat(bed.bridgedClient().ask(vip)).isEqualTo("a"));
        assertThat(bed.routedClient().askBriefly(vip)).isEqualTo(Clients.TIMEOUT);

        apply(balanced.withSpec("type: LoadBalancer"));
        eventually(() -> assertThat(bed.routedClient().ask(vip)).isEqualTo("a"));
        assertThat(bed.bridgedClient().ask(vip6)).isEqualTo("a");
        assertThat(bed.node().ask(vip)).isEqualTo("a");
    }

    @Test
    void externalIpsAreServedOnlyWhereTheyAreAllowed() throws Exception {
        apply(WEB.withSpec("externalIPs: [198.51.100.1, 203.0.113.9]").with(bed.a(), THERE));
        bed.start("--set", "services.external-ips=198.51.100.0/24");

        assertThat(bed.bridgedClient().ask(new InetSocketAddress("198.51.100.1", 80)))
                .isEqualTo("a");
        assertThat(bed.ruleset()).doesNotContain("203.0.113.9");
    }

    @Test
    void theHealthCheckNodePortCountsLocalReadyEndpoints() throws Exception {
        ServiceText balanced =
                WEB.withSpec(
                                "type: LoadBalancer\nexternalTrafficPolicy: Local\nhealthCheckNodePort: 32080")
                        .withStatus("{loadBalancer: {ingress: [{ip: 203.0.113.1}]}}");
        apply(balanced.with(bed.a(), THERE).with(bed.b(), HERE));
        bed.start(NODE);

        assertThat(health("192.0.2.10", 32080))
                .startsWith("200 ")
                .contains("\"localEndpoints\": 1");
        assertThat(health("192.0.2.10", 10256)).startsWith("200 ").contains("nodeEligible");

        apply(
                balanced.with(bed.a(), THERE)
                        .with(bed.b(), HERE, "{ready: false, serving: true, terminating: true}"));
        eventually(() -> assertThat(health("192.0.2.10", 32080)).startsWith("503 "));
        // It still serves.
        assertThat(bed.routedClient().ask(new InetSocketAddress("203.0.113.1", 80))).isEqualTo("b");
    }

    /** The answer to a client outside. */
    private String health(String address, int port) throws Exception {
        return bed.routedClient().get("http://" + address + ":" + port + "/healthz");
    }
}
