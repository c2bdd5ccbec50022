package dev.sluice.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.ProxyConfig;
import dev.sluice.control.WatchStatus;
import dev.sluice.model.ServicePort;
import dev.sluice.model.ServiceSnapshot;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/** A source that follows a server of the test, at a pace that suits tests. */
final class FollowedSource implements AutoCloseable {
    static final Path NO_POD = Path.of("/nonexistent");

    static final ApiPace PACE =
            new ApiPace(
                    Duration.ofSeconds(2),
                    Duration.ofSeconds(5),
                    Duration.ofSeconds(2),
                    Duration.ofMillis(100),
                    Duration.ofSeconds(1),
                    Duration.ofMillis(5),
                    Duration.ofMillis(8),
                    Duration.ofMillis(20),
                    Duration.ofMillis(200),
                    Duration.ofMillis(20),
                    Duration.ofMillis(200));

    private final KubernetesServiceSource source;
    private final AtomicInteger changes = new AtomicInteger();

    FollowedSource(ApiServer server) {
        this(server, KubernetesFixtures.RULES, KubernetesFixtures.ownNode());
    }

    private FollowedSource(ApiServer server, ServiceRules rules, OwnNode node) {
        source = new KubernetesServiceSource(server, rules, node, ApiServerVip.REFUSED, true);
        source.start(changes::incrementAndGet);
    }

    static FollowedSource of(URI server) {
        return of(server, KubernetesFixtures.RULES, KubernetesFixtures.ownNode());
    }

    static FollowedSource of(URI server, ServiceRules rules, OwnNode node) {
        return new FollowedSource(
                ApiServer.of(
                        new ProxyConfig.Kubernetes(
                                Optional.empty(),
                                Optional.of(server),
                                Optional.empty(),
                                Optional.empty(),
                                false,
                                true),
                        Map.of(),
                        NO_POD,
                        PACE),
                rules,
                node);
    }

    int changes() {
        return changes.get();
    }

    Optional<ServiceSnapshot> snapshot() {
        return source.snapshot();
    }

    KubernetesServiceSource source() {
        return source;
    }

    WatchStatus watch(String resource) {
        return source.watches().stream()
                .filter(watch -> watch.resource().equals(resource))
                .findFirst()
                .orElseThrow();
    }

    /** Waits until exactly these are served: {@code web 10.96.0.1 -> [10.1.0.1:8080]}. */
    ServiceSnapshot awaitServed(String... lines) {
        await().atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(20))
                .untilAsserted(
                        () ->
                                assertThat(snapshot().map(FollowedSource::lines))
                                        .hasValueSatisfying(
                                                now -> assertThat(now).containsExactly(lines)));
        return snapshot().orElseThrow();
    }

    private static List<String> lines(ServiceSnapshot snapshot) {
        return snapshot.servicePorts().values().stream().map(FollowedSource::line).toList();
    }

    private static String line(ServicePort port) {
        return port.name().service().name() + " " + port.clusterIps() + " -> " + port.endpoints();
    }

    @Override
    public void close() {
        source.close();
    }
}
