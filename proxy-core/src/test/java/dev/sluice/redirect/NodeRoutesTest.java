package dev.sluice.redirect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.IpAddress;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class NodeRoutesTest {
    private static final List<String> ROUTES_4 =
            List.of(
                    "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT",
                    "cni0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0",
                    "cni0\t0003F40A\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0",
                    "cni0\t0004F40A\t00000000\t0201\t0\t0\t0\t00FFFFFF\t0\t0\t0",
                    "cni0\t0000FEA9\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0",
                    "cali1\t0705F40A\t00000000\t0005\t0\t0\t0\tFFFFFFFF\t0\t0\t0",
                    "eth0\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0");

    private static final List<String> ROUTES_6 =
            List.of(
                    route6("fd000000000000000000000000000000", "40", "00000001", "cni0"),
                    route6("fd000000000000000000000000000005", "80", "00000001", "cni0"),
                    route6("fd010000000000000000000000000000", "40", "00200200", "cni0"),
                    route6("fe800000000000000000000000000000", "40", "00000001", "cni0"),
                    route6("ff000000000000000000000000000000", "08", "00000001", "cni0"),
                    route6("00000000000000000000000000000000", "00", "00000003", "cni0"),
                    route6("fd020000000000000000000000000000", "40", "00000001", "eth0"));

    /** The kernel of the test prints numbers in the byte order of this machine. */
    @Test
    void rangesOfTheInterfaceAreFoundAndNoOthers() {
        assertThat(NodeRoutes.through4(ROUTES_4, "cni0"::equals))
                .asString()
                .isEqualTo("[10.244.3.0/24]");
        assertThat(NodeRoutes.through4(ROUTES_4, name -> name.startsWith("cali")))
                .asString()
                .isEqualTo("[10.244.5.7/32]");
        assertThat(NodeRoutes.through6(ROUTES_6, "cni0"::equals))
                .asString()
                .isEqualTo("[fd00::/64, fd00::5/128]");
        assertThat(NodeRoutes.through4(List.of(), name -> true)).isEmpty();
    }

    @Test
    void thisNodeHasItsLoopbackAddressAndRoutesOnlyOfItsInterfaces() throws IOException {
        assertThat(NodeAddresses.read().all())
                .contains(IpAddress.parse("127.0.0.1"))
                .noneMatch(IpAddress::isLinkLocal)
                .isSorted();
        assertThat(NodeRoutes.through("no-such-device"::equals)).isEmpty();
        assertThat(NodeRoutes.through(name -> true)).allMatch(range -> range.length() > 0);
    }

    private static String route6(String destination, String length, String flags, String name) {
        String none = "0".repeat(32);
        return String.join(
                " ",
                destination,
                length,
                none,
                "00",
                none,
                "00000100",
                "00000001",
                "00000000",
                flags,
                "    " + name);
    }
}
