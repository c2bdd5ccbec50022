package dev.sluice.admin;

import static dev.sluice.admin.WatchedProxy.port;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.check.DescriptorCheck;
import dev.sluice.control.SyncTimes;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** What a load balancer is told about the node, byte by byte, by a fake clock. */
@Timeout(60)
@ExtendWith(DescriptorCheck.class)
class HealthServersTest {
    private static final Instant BEGIN = Instant.parse("2026-12-01T06:00:00.120Z");

    private final AtomicReference<Instant> clock = new AtomicReference<>(BEGIN);
    private final AtomicReference<Optional<String>> ineligible =
            new AtomicReference<>(Optional.empty());
    private final SyncTimes syncs = new SyncTimes(clock::get);
    private final HealthServers servers =
            new HealthServers(
                    new ProxyHealth(syncs, ineligible::get, clock::get), Duration.ofMillis(50));

    @AfterEach
    void close() {
        servers.close();
    }

    private InetSocketAddress listening() {
        servers.listen(WatchedProxy.loopback(0));
        await().until(() -> servers.address().isPresent());
        return servers.address().orElseThrow();
    }

    @Test
    void aHealthyNodeSaysSoWithTheTimeThatItIs() throws Exception {
        InetSocketAddress address = listening();

        RawHttp.Reply healthz = RawHttp.get(address, "/healthz");
        assertThat(healthz.status()).isEqualTo(200);
        assertThat(healthz.headers())
                .containsEntry("content-type", "application/json")
                .containsEntry("x-content-type-options", "nosniff");
        assertThat(healthz.body())
                .isEqualTo(
                        "{\"lastUpdated\": \"2026-12-01 06:00:00.12 +0000 UTC\","
                                + "\"currentTime\": \"2026-12-01 06:00:00.12 +0000 UTC\","
                                + " \"nodeEligible\": true}");

        RawHttp.Reply livez = RawHttp.get(address, "/livez");
        assertThat(livez.status()).isEqualTo(200);
        assertThat(livez.body())
                .isEqualTo(
                        "{\"lastUpdated\": \"2026-12-01 06:00:00.12 +0000 UTC\","
                                + "\"currentTime\": \"2026-12-01 06:00:00.12 +0000 UTC\"}");
    }

    @Test
    void aNodeThatIsAboutToGoIsNotEligibleButAlive() throws Exception {
        InetSocketAddress address = listening();
        ineligible.set(Optional.of("taint ToBeDeletedByClusterAutoscaler"));

        RawHttp.Reply healthz = RawHttp.get(address, "/healthz");
        assertThat(healthz.status()).isEqualTo(503);
        assertThat(healthz.body())
                .isEqualTo(
                        "{\"lastUpdated\": \"0001-01-01 00:00:00 +0000 UTC\","
                                + "\"currentTime\": \"2026-12-01 06:00:00.12 +0000 UTC\","
                                + " \"nodeEligible\": false}");
        assertThat(RawHttp.get(address, "/livez").status()).isEqualTo(200);

        ineligible.set(Optional.empty());
        assertThat(RawHttp.get(address, "/healthz").status()).isEqualTo(200);
    }

    @Test
    void aProxyThatDrainsIsAliveAndSendsLoadBalancersAway() throws Exception {
        InetSocketAddress address = listening();
        servers.drain();

        RawHttp.Reply healthz = RawHttp.get(address, "/healthz");
        assertThat(healthz.status()).isEqualTo(503);
        assertThat(healthz.body()).endsWith("\"nodeEligible\": true}");
        assertThat(RawHttp.get(address, "/livez").status()).isEqualTo(200);
    }

    @Test
    void anyNameAndMethodMayBeUsedAndOtherPathsAreNotThere() throws Exception {
        InetSocketAddress address = listening();
        RawHttp.Reply named = RawHttp.get(address, "/healthz?probe=1", "Host: lb.example:10256");
        assertThat(named.status()).isEqualTo(200);
        String posted = "POST /livez HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc";
        assertThat(RawHttp.exchange(address, posted)).startsWith("HTTP/1.1 200 OK\r\n");
        RawHttp.Reply other = RawHttp.get(address, "/metrics");
        assertThat(other.status()).isEqualTo(404);
        assertThat(other.body()).isEqualTo("404 page not found\n");
        assertThat(RawHttp.get(address, "/").status()).isEqualTo(404);
        assertThat(RawHttp.exchange(address, "no request\r\n\r\n")).startsWith("HTTP/1.1 400");
    }

    @Test
    void answersAreCountedByTheirCode() throws Exception {
        InetSocketAddress address = listening();
        RawHttp.get(address, "/healthz");
        servers.drain();
        RawHttp.get(address, "/healthz");
        RawHttp.get(address, "/healthz");
        RawHttp.get(address, "/livez");
        RawHttp.get(address, "/elsewhere");

        assertThat(counts(servers.site().healthz())).isEqualTo(Map.of("200", 1.0, "503", 2.0));
        assertThat(counts(servers.site().livez())).isEqualTo(Map.of("200", 1.0, "503", 0.0));
    }

    private static Map<String, Double> counts(CodeCounts counts) {
        return counts.samples().stream()
                .collect(
                        Collectors.toMap(
                                sample -> String.valueOf(sample.labels().get("code")),
                                Families.Sample::value));
    }

    @Test
    void anAddressThatIsTakenIsNamedAndHadOnceItIsFree() throws Exception {
        InetSocketAddress address;
        try (ServerSocket taken = new ServerSocket()) {
            taken.bind(WatchedProxy.loopback(0));
            address = WatchedProxy.loopback(taken.getLocalPort());
            servers.listen(address);
            await().until(() -> servers.failure().isPresent());
            assertThat(servers.failure().orElseThrow())
                    .contains("sluice.health.address = '127.0.0.1:" + address.getPort() + "'")
                    .contains("Address already in use");
            assertThat(servers.address()).isEmpty();
        }

        await().until(() -> servers.address().isPresent());
        assertThat(servers.failure()).isEmpty();
        assertThat(RawHttp.get(address, "/healthz").status()).isEqualTo(200);
    }

    @Test
    void anAddressThatIsTakenToTheEndIsGivenUp() throws Exception {
        try (ServerSocket taken = new ServerSocket()) {
            taken.bind(WatchedProxy.loopback(0));
            servers.listen(WatchedProxy.loopback(taken.getLocalPort()));
            await().until(() -> servers.failure().isPresent());
            servers.close();
            assertThat(servers.address()).isEmpty();
        }
    }

    @Test
    void itIsUnhealthyWhileTheOldestChangeHasWaitedForLongerThanAMinute() throws Exception {
        InetSocketAddress address = listening();
        try (ControlPath control = new ControlPath(syncs, servers.healthChecks())) {
            clock.set(BEGIN.plusSeconds(3600));
            assertThat(RawHttp.get(address, "/healthz").status())
                    .as("while it starts")
                    .isEqualTo(200);
            clock.set(BEGIN);
            control.apply(port("a"));
            clock.set(BEGIN.plusSeconds(3600));
            assertThat(RawHttp.get(address, "/healthz").status()).as("while idle").isEqualTo(200);
            clock.set(BEGIN);

            control.failing.set(true);
            control.apply(port("a"), port("b"));
            clock.set(BEGIN.plusSeconds(60));
            assertThat(RawHttp.get(address, "/healthz").status()).isEqualTo(200);
            control.apply(port("a"), port("c"));
            clock.set(BEGIN.plusSeconds(61));

            RawHttp.Reply unhealthy = RawHttp.get(address, "/healthz");
            assertThat(unhealthy.status()).isEqualTo(503);
            assertThat(unhealthy.body())
                    .isEqualTo(
                            "{\"lastUpdated\": \"2026-12-01 06:00:00.12 +0000 UTC\","
                                    + "\"currentTime\": \"2026-12-01 06:01:01.12 +0000 UTC\","
                                    + " \"nodeEligible\": true}");
            assertThat(RawHttp.get(address, "/livez").status()).isEqualTo(503);

            control.failing.set(false);
            await().untilAsserted(
                            () ->
                                    assertThat(RawHttp.get(address, "/livez").status())
                                            .isEqualTo(200));
        }
    }
}
