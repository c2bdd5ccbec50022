package dev.sluice.redirect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.IpAddress;
import dev.sluice.model.IpFamily;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NodeNetworkTest {
    private static final NodeInterface LO = device("lo", 1, "203.0.113.1");
    private static final NodeInterface BRIDGE = device("cni0", 2, "10.244.0.1", "fd00:244::1");
    private static final NodeInterface UPLINK = device("eth0", 3, "192.0.2.10", "192.0.2.11");

    @Test
    void theNodesAddressIsThatOfTheDefaultRoute() {
        NodeNetwork network = network(Map.of(IpFamily.IPV4, "eth0"), LO, BRIDGE, UPLINK);

        assertThat(network.address(IpFamily.IPV4)).hasValue(IpAddress.parse("192.0.2.10"));
    }

    @Test
    void withoutADefaultRouteTheLowestIndexWinsAndLoopbackIsLast() {
        assertThat(network(Map.of(), UPLINK, LO, BRIDGE).address(IpFamily.IPV4))
                .hasValue(IpAddress.parse("10.244.0.1"));
        assertThat(network(Map.of(), LO).address(IpFamily.IPV4))
                .hasValue(IpAddress.parse("203.0.113.1"));
    }

    @Test
    void aDefaultRouteThroughAnInterfaceWithoutAddressDoesNotCount() {
        assertThat(network(Map.of(IpFamily.IPV6, "eth0"), UPLINK, BRIDGE).address(IpFamily.IPV6))
                .hasValue(IpAddress.parse("fd00:244::1"));
        assertThat(network(Map.of(), UPLINK).address(IpFamily.IPV6)).isEmpty();
    }

    @Test
    void numberedInterfacesAreListedByNameWithoutLoopback() {
        NodeNetwork network = network(Map.of(), UPLINK, LO, BRIDGE);

        assertThat(network.numbered(IpFamily.IPV4)).containsExactly(BRIDGE, UPLINK);
        assertThat(network.numbered(IpFamily.IPV6)).containsExactly(BRIDGE);
    }

    @Test
    void onlyUsableIpv6AddressesCountPermanentOnesFirst() {
        List<NodeInterface> interfaces =
                NodeNetworkReader.interfaces6(
                        List.of(
                                "00000000000000000000000000000001 01 80 10 80       lo",
                                "fe8000000000000000fc00fffe000001 04 40 20 80     eth0",
                                "20010db8000000000000000000000001 04 40 00 01     eth0",
                                "20010db8000000000000000000000002 04 40 00 80     eth0",
                                "20010db8000000000000000000000003 05 40 00 c0     eth1",
                                "20010db8000000000000000000000004 06 40 00 88     eth2",
                                "20010db8000000000000000000000005 0a 40 00 44     eth3"));

        assertThat(interfaces)
                .containsExactly(
                        device("eth0", 4, "2001:db8::2", "2001:db8::1"),
                        device("eth3", 10, "2001:db8::5"));
    }

    @Test
    void theDefaultRouteWithTheLowestMetricCounts() {
        assertThat(
                        NodeNetworkReader.defaultInterface4(
                                List.of(
                                        "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT",
                                        "blk\t00000000\t00000000\t0201\t0\t0\t0\t00000000\t0\t0\t0",
                                        "tun0\t00000000\t00000000\t0001\t0\t0\t0\t00000080\t0\t0\t0",
                                        "wlan0\t00000000\t010200C0\t0003\t0\t0\t600\t00000000\t0\t0\t0",
                                        "eth0\t00000000\t010200C0\t0003\t0\t0\t100\t00000000\t0\t0\t0")))
                .hasValue("eth0");
        assertThat(
                        NodeNetworkReader.defaultInterface6(
                                List.of(
                                        "20010db8000000000000000000000000 40 00000000000000000000000000000000 00 00000000000000000000000000000000 00000100 00000001 00000000 00000001     cni0",
                                        "00000000000000000000000000000000 00 00000000000000000000000000000000 00 fd000000000000000000000000000001 00000400 00000002 00000000 00000003     eth0",
                                        "00000000000000000000000000000000 00 00000000000000000000000000000000 00 00000000000000000000000000000000 ffffffff 00000001 00000000 00200200       lo")))
                .hasValue("eth0");
        assertThat(NodeNetworkReader.defaultInterface4(List.of())).isEmpty();
        assertThat(NodeNetworkReader.defaultInterface6(List.of())).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"eth0", "eth0.100", "cali12ab34cd56e", "br-0a1b2c3d4e5f", "_x"})
    void plainNamesMayStandInARule(String name) {
        assertThat(device(name, 1).hasPlainName()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "eth+",
                "-j",
                "a b",
                "a\"b",
                "a\nb",
                "!",
                "sixteen-letters0",
                "ä",
                "a'b"
            })
    void namesThatARuleWouldReadOtherwiseMayNot(String name) {
        assertThat(device(name, 1).hasPlainName()).isFalse();
    }

    private static NodeInterface device(String name, int index, String... addresses) {
        return new NodeInterface(
                name, index, List.of(addresses).stream().map(IpAddress::parse).toList());
    }

    private static NodeNetwork network(
            Map<IpFamily, String> defaultInterfaces, NodeInterface... interfaces) {
        return new NodeNetwork(List.of(interfaces), defaultInterfaces, true);
    }
}
