package dev.sluice.kubernetes;

import static dev.sluice.kubernetes.KubernetesFixtures.RULES;
import static dev.sluice.kubernetes.KubernetesFixtures.node;
import static dev.sluice.kubernetes.KubernetesFixtures.problems;
import static dev.sluice.kubernetes.KubernetesFixtures.ready;
import static dev.sluice.kubernetes.KubernetesFixtures.service;
import static dev.sluice.kubernetes.KubernetesFixtures.slice;
import static dev.sluice.kubernetes.ScriptedApi.NODES;
import static dev.sluice.kubernetes.ScriptedApi.SERVICES;
import static dev.sluice.kubernetes.ScriptedApi.SLICES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.NodePortAddresses;
import dev.sluice.config.ProxyConfig.DetectLocal;
import dev.sluice.config.ProxyConfig.DetectLocal.Detection;
import dev.sluice.control.ChangeCounts;
import dev.sluice.kubernetes.ScriptedApi.Refusal;
import dev.sluice.model.ServiceSnapshot;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointHintsBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.api.model.discovery.v1.ForZone;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The own Node on an API server, and what else the source tells besides Services. */
@Timeout(60)
class FollowedNodeTest {
    private static final String WEB = "web [10.96.0.1] -> [10.1.0.1:8080]";

    private ScriptedApi api;

    @BeforeEach
    void oneService() throws Exception {
        api = new ScriptedApi();
        api.put(SERVICES, withUid(service("web", "10.96.0.1")));
        api.put(SLICES, withUid(slice("web-1", "web", ready("10.1.0.1"))));
    }

    @AfterEach
    void close() {
        api.close();
    }

    @Test
    void theNodeIsAskedForByItsName() {
        api.put(NODES, withUid(node("a")));
        try (FollowedSource source = follow(Detection.NONE)) {
            assertThat(source.awaitServed(WEB).problems()).isEmpty();

            assertThat(api.requests(request -> request.path().equals(NODES)))
                    .isNotEmpty()
                    .allSatisfy(
                            request ->
                                    assertThat(request.parameters())
                                            .containsEntry("fieldSelector", "metadata.name=a"));
        }
    }

    @Test
    void nothingIsServedBeforeTheNodeIsRead() {
        api.stall(NODES);
        try (FollowedSource source = follow(Detection.NONE)) {
            await().until(() -> source.watch("services").age().isPresent());
            await().until(() -> api.openWatches(SLICES) == 1);
            assertThat(source.snapshot()).isEmpty();

            api.endStall(NODES);

            source.awaitServed(WEB);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {403, 404})
    void aNodeThatMayNotBeReadKeepsNothingFromBeingServed(int status) {
        api.refuse(NODES, false, 3, new Refusal(status));
        try (FollowedSource source = follow(Detection.NONE)) {
            ServiceSnapshot snapshot = source.awaitServed(WEB);

            assertThat(problems(snapshot))
                    .singleElement()
                    .asString()
                    .startsWith("Node a: metadata.name 'a' can't be read: ");
            api.put(NODES, withUid(node("a")));
            await().until(() -> source.snapshot().orElseThrow().problems().isEmpty());
        }
    }

    /** The control path sleeps until it is woken: an answer that ends the waiting must wake it. */
    @Test
    void theRefusalOfTheNodeWakes() {
        api.stall(NODES);
        try (FollowedSource source = follow(Detection.NONE)) {
            await().until(() -> api.openWatches(SERVICES) == 1 && api.openWatches(SLICES) == 1);
            await().until(() -> source.changes() == 3);

            api.refuse(NODES, false, 1000, new Refusal(403));
            api.endStall(NODES);

            await().until(() -> source.changes() == 4);
            source.awaitServed(WEB);
        }
    }

    @Test
    void aNodeThatIsNotThereIsAProblemAndNoMore() {
        try (FollowedSource source = follow(Detection.NONE)) {
            assertThat(problems(source.awaitServed(WEB)))
                    .containsExactly(
                            "Node a: metadata.name 'a' is no Node of the cluster; the setting"
                                    + " node.name can name another");
            assertThat(source.source().nodeIneligible()).isEmpty();
        }
    }

    @Test
    void f31NodeCidrWaitsForThePodCidrsOnce() {
        Node bare = withUid(node("a"));
        api.put(NODES, bare);
        try (FollowedSource source = follow(Detection.NODE_CIDR)) {
            await().until(() -> source.watch("nodes").age().isPresent());
            await().until(() -> source.watch("services").age().isPresent());
            assertThat(source.snapshot()).isEmpty();

            api.put(
                    NODES,
                    new NodeBuilder(bare)
                            .withNewSpec()
                            .withPodCIDRs("10.1.0.0/24")
                            .endSpec()
                            .build());
            assertThat(source.awaitServed(WEB).localSources().pods())
                    .asString()
                    .isEqualTo("[10.1.0.0/24]");

            api.put(NODES, bare);
            await().until(() -> source.snapshot().orElseThrow().localSources().pods().isEmpty());
            assertThat(source.awaitServed(WEB).problems()).hasSize(1);
        }
    }

    @Test
    void f12AChangeOfTheZoneNarrowsTheEndpoints() {
        EndpointSlice hinted = slice("web-1", "web", ready("10.1.0.1"), ready("10.1.0.2"));
        hinted.getEndpoints().get(0).setHints(forZone("z1"));
        hinted.getEndpoints().get(1).setHints(forZone("z2"));
        api.put(SLICES, withUid(hinted));
        Node bare = withUid(node("a"));
        api.put(NODES, bare);
        try (FollowedSource source = follow(Detection.NONE)) {
            source.awaitServed("web [10.96.0.1] -> [10.1.0.1:8080, 10.1.0.2:8080]");

            api.put(
                    NODES,
                    new NodeBuilder(bare)
                            .editMetadata()
                            .addToLabels("topology.kubernetes.io/zone", "z2")
                            .endMetadata()
                            .build());

            source.awaitServed("web [10.96.0.1] -> [10.1.0.2:8080]");
        }
    }

    @Test
    void f35TheTaintOfTheAutoscalerComesAndGoes() {
        Node bare = withUid(node("a"));
        api.put(NODES, bare);
        try (FollowedSource source = follow(Detection.NONE)) {
            source.awaitServed(WEB);
            assertThat(source.source().nodeIneligible()).isEmpty();

            api.put(
                    NODES,
                    new NodeBuilder(bare)
                            .withNewSpec()
                            .addNewTaint()
                            .withKey("ToBeDeletedByClusterAutoscaler")
                            .endTaint()
                            .endSpec()
                            .build());
            await().until(() -> source.source().nodeIneligible().isPresent());

            api.put(NODES, bare);
            await().until(() -> source.source().nodeIneligible().isEmpty());
        }
    }

    @Test
    void changesAreCountedAndTheirTimesAreToldOnce() {
        try (FollowedSource source = follow(Detection.NONE)) {
            source.awaitServed(WEB);
            assertThat(source.source().changes()).isEqualTo(new ChangeCounts(1, 1));
            assertThat(source.source().takeTriggerTimes()).isEmpty();

            Instant time = Instant.now().plusSeconds(1);
            EndpointSlice changed = withUid(slice("web-1", "web", ready("10.1.0.2")));
            changed.getMetadata()
                    .setAnnotations(
                            Map.of(
                                    "endpoints.kubernetes.io/last-change-trigger-time",
                                    time.toString()));
            api.put(SLICES, changed);
            source.awaitServed("web [10.96.0.1] -> [10.1.0.2:8080]");

            assertThat(source.source().changes()).isEqualTo(new ChangeCounts(1, 2));
            assertThat(source.source().takeTriggerTimes()).containsExactly(time);
            assertThat(source.source().takeTriggerTimes()).isEmpty();
        }
    }

    @Test
    void f18AProxyWithANameServesServicesOfThatNameOnly() {
        api.put(SERVICES, withUid(labelled("mine", "10.96.0.2", "sluice")));
        api.put(SERVICES, withUid(labelled("other", "10.96.0.3", "other")));
        api.put(SLICES, withUid(slice("mine-1", "mine", ready("10.1.0.2"))));
        ServiceRules named =
                new ServiceRules(LoopbackEndpoints.REFUSED, Optional.of("sluice"), List.of());
        try (FollowedSource source =
                FollowedSource.of(api.address(), named, KubernetesFixtures.ownNode())) {
            source.awaitServed("mine [10.96.0.2] -> [10.1.0.2:8080]");

            api.put(SERVICES, withUid(labelled("other", "10.96.0.3", "sluice")));
            source.awaitServed("mine [10.96.0.2] -> [10.1.0.2:8080]", "other [10.96.0.3] -> []");
        }
        assertThat(selectors(SERVICES))
                .containsOnly("service.kubernetes.io/service-proxy-name=sluice");
        assertThat(selectors(SLICES)).containsOnly("!service.kubernetes.io/headless");
    }

    @Test
    void f18TheProxyWithoutANameLeavesThoseOfOthersToTheServer() {
        try (FollowedSource source = follow(Detection.NONE)) {
            source.awaitServed(WEB);
        }
        assertThat(selectors(SERVICES)).containsOnly("!service.kubernetes.io/service-proxy-name");
        assertThat(selectors(SLICES))
                .containsOnly(
                        "!service.kubernetes.io/service-proxy-name,!service.kubernetes.io/headless");
    }

    private List<String> selectors(String path) {
        return api.requests(request -> request.path().equals(path)).stream()
                .map(request -> request.parameters().getOrDefault("labelSelector", "none"))
                .toList();
    }

    private FollowedSource follow(Detection mode) {
        return FollowedSource.of(
                api.address(),
                RULES,
                KubernetesFixtures.ownNode(
                        NodePortAddresses.parse(List.of("all")),
                        new DetectLocal(mode, List.of(), Optional.empty(), Optional.empty()),
                        new FixedKernel("192.0.2.1")));
    }

    private static Service labelled(String name, String clusterIp, String proxyName) {
        Service service = service(name, clusterIp);
        service.getMetadata()
                .setLabels(Map.of("service.kubernetes.io/service-proxy-name", proxyName));
        return service;
    }

    private static io.fabric8.kubernetes.api.model.discovery.v1.EndpointHints forZone(String zone) {
        return new EndpointHintsBuilder().withForZones(new ForZone(zone)).build();
    }

    private static <T extends HasMetadata> T withUid(T object) {
        object.getMetadata().setUid(object.getKind() + object.getMetadata().getName());
        return object;
    }
}
