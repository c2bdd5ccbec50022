package dev.sluice.e2e;

import static dev.sluice.e2e.Testbed.eventually;
import static dev.sluice.e2e.Testbed.service;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Session affinity by the addresses that pods really have. */
@Timeout(60)
class AffinityIT {
    private static final InetSocketAddress WEB4 = service("10.96.0.1");
    private static final InetSocketAddress WEB6 = service("fd00:96::1");

    @RegisterExtension private final Testbed bed = new Testbed();

    private ServiceManifest web = ServiceManifest.named("web", "10.96.0.1", "fd00:96::1");

    @BeforeEach
    void threeEndpoints() {
        web = web.withEndpoints(bed.a(), bed.b(), bed.c());
    }

    @Test
    void eachPodStaysWithAnEndpointOfItsOwn() throws Exception {
        bed.apply(web.withClientIpAffinity(10_800));
        bed.start();

        for (InetSocketAddress service : new InetSocketAddress[] {WEB4, WEB6}) {
            Map<String, Integer> bridged = bed.bridgedClient().ask(service, 50);
            Map<String, Integer> routed = bed.routedClient().ask(service, 50);

            assertThat(bridged).hasSize(1).containsValue(50);
            assertThat(routed).hasSize(1).containsValue(50);
            assertThat(bridged).isNotEqualTo(routed);
            assertThat(bed.bridgedClient().ask(service, 10).keySet()).isEqualTo(bridged.keySet());
        }
    }

    @Test
    void aShorterTimeoutCountsForClientsThatArePinnedAlready() throws Exception {
        bed.apply(web.withClientIpAffinity(10_800));
        bed.start();
        String pinned = bed.bridgedClient().ask(WEB4);
        int port = bed.listenerPort("10.96.0.1");

        bed.apply(web.withClientIpAffinity(1));

        // Idle for longer than the new timeout, each time.
        Duration idle = Duration.ofMillis(1_200);
        await().atMost(Duration.ofSeconds(10))
                .pollDelay(idle)
                .pollInterval(idle)
                .untilAsserted(
                        () -> assertThat(bed.bridgedClient().ask(WEB4)).isNotEqualTo(pinned));
        assertThat(bed.listenerPort("10.96.0.1")).isEqualTo(port);
    }

    @Test
    void affinityIsTurnedOnAndOffWithoutANewListener() throws Exception {
        bed.apply(web);
        bed.start();
        int port = bed.listenerPort("10.96.0.1");
        assertThat(bed.bridgedClient().ask(WEB4, 30)).isEqualTo(Map.of("a", 10, "b", 10, "c", 10));

        bed.apply(web.withClientIpAffinity(10_800));
        eventually(() -> assertThat(bed.bridgedClient().ask(WEB4, 3)).hasSize(1));
        assertThat(bed.bridgedClient().ask(WEB4, 30)).hasSize(1);

        bed.apply(web);
        eventually(() -> assertThat(bed.bridgedClient().ask(WEB4, 3)).hasSize(3));
        assertThat(bed.bridgedClient().ask(WEB4, 30)).isEqualTo(Map.of("a", 10, "b", 10, "c", 10));
        assertThat(bed.listenerPort("10.96.0.1")).isEqualTo(port);
    }
}
