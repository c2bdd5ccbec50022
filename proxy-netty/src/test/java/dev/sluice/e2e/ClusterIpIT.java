package dev.sluice.e2e;

import static dev.sluice.e2e.Testbed.service;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A ClusterIP from every place of a node, in both families. */
@Timeout(60)
class ClusterIpIT {
    private static final InetSocketAddress WEB4 = service("10.96.0.1");
    private static final InetSocketAddress WEB6 = service("fd00:96::1");
    private static final ServiceManifest WEB =
            ServiceManifest.named("web", "10.96.0.1", "fd00:96::1");

    @RegisterExtension private final Testbed bed = new Testbed();

    @ParameterizedTest
    @ValueSource(strings = {"legacy", "nft"})
    void everyClientReachesTheEndpointsOfTheFamilyItAsks(String flavour) throws Exception {
        bed.apply(WEB.withEndpoints(bed.a().ipv4(), bed.c().ipv6()));
        bed.start("--set", "redirect.flavour=" + flavour);

        for (Pod client : bed.clients()) {
            assertThat(client.ask(WEB4)).as(client + " to IPv4").isEqualTo("a");
            assertThat(client.ask(WEB6)).as(client + " to IPv6").isEqualTo("c");
        }
    }

    @Test
    void aFamilyWithoutEndpointsIsRefusedWhileTheOtherOneWorks() throws Exception {
        bed.apply(WEB.withEndpoints(bed.b().ipv6()));
        bed.start();

        for (Pod client : bed.clients()) {
            assertThat(client.ask(WEB4)).as(client + " to IPv4").isEqualTo(Clients.REFUSED);
            assertThat(client.ask(WEB6)).as(client + " to IPv6").isEqualTo("b");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.96.0.1", "fd00:96::1"})
    void aPortThatTheServiceHasNotIsRefusedOverBothProtocols(String clusterIp) throws Exception {
        bed.apply(WEB.withEndpoints(bed.a(), bed.b()));
        bed.start();

        for (Pod client : bed.clients()) {
            assertThat(client.ask(new InetSocketAddress(clusterIp, 81))).isEqualTo(Clients.REFUSED);
            assertThat(Datagrams.ask(client, new InetSocketAddress(clusterIp, 80)))
                    .isEqualTo(Clients.REFUSED);
        }
        assertThat(bed.bridgedClient().ask(service(clusterIp))).isIn("a", "b");
    }

    @Test
    void threeHundredConnectionsGoToThreeEndpointsInEqualShares() throws Exception {
        bed.apply(WEB.withEndpoints(bed.a(), bed.b(), bed.c()));
        bed.start();

        assertThat(bed.bridgedClient().ask(WEB4, 300))
                .isEqualTo(Map.of("a", 100, "b", 100, "c", 100));
        assertThat(bed.routedClient().ask(WEB6, 300))
                .isEqualTo(Map.of("a", 100, "b", 100, "c", 100));
    }

    @Test
    void backendsSeeConnectionsOfTheNode() throws Exception {
        bed.a().serve(() -> peer -> peer.send(peer.remoteAddress().getHostAddress()));
        bed.apply(WEB.withEndpoints(bed.a()));
        bed.start();

        for (Pod client : bed.clients()) {
            assertThat(client.ask(WEB4)).isEqualTo("10.1.0.1");
            assertThat(client.ask(WEB6)).isEqualTo("fd01:0:0:0:0:0:0:1");
        }
    }

    @Test
    void aPodReachesItselfThroughItsService() throws Exception {
        bed.apply(WEB.withEndpoints(bed.b(), bed.c()));
        bed.start();

        for (Pod pod : List.of(bed.b(), bed.c())) {
            assertThat(pod.ask(WEB4, 4)).isEqualTo(Map.of("b", 2, "c", 2));
            assertThat(pod.ask(WEB6, 4)).isEqualTo(Map.of("b", 2, "c", 2));
        }
    }

    @Test
    void aConnectionToTheListenerItselfIsReset() throws Exception {
        bed.apply(WEB.withEndpoints(bed.a()));
        bed.start();
        int port = bed.listenerPort("10.96.0.1");

        for (String address : new String[] {"192.0.2.10", "10.1.0.1", "fd01::1"}) {
            InetSocketAddress listener = new InetSocketAddress(address, port);
            for (Pod client : bed.clients()) {
                assertThat(client.ask(listener))
                        .as(client + " to " + listener)
                        .isEqualTo(Clients.RESET);
            }
        }
        assertThat(bed.a().accepted()).isZero();
        assertThat(bed.bridgedClient().ask(WEB4)).isEqualTo("a");
    }
}
