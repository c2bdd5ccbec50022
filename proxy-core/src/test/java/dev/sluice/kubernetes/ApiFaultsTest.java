package dev.sluice.kubernetes;

import static dev.sluice.kubernetes.KubernetesFixtures.endpointsOf;
import static dev.sluice.kubernetes.KubernetesFixtures.node;
import static dev.sluice.kubernetes.KubernetesFixtures.ready;
import static dev.sluice.kubernetes.KubernetesFixtures.service;
import static dev.sluice.kubernetes.KubernetesFixtures.slice;
import static dev.sluice.kubernetes.ScriptedApi.ENDPOINTS;
import static dev.sluice.kubernetes.ScriptedApi.NODES;
import static dev.sluice.kubernetes.ScriptedApi.SERVICES;
import static dev.sluice.kubernetes.ScriptedApi.SLICES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.kubernetes.ScriptedApi.Refusal;
import dev.sluice.model.ServicePort;
import dev.sluice.model.ServiceSnapshot;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an API server does wrong, and a network between it and the proxy. */
@Timeout(60)
class ApiFaultsTest {
    private static final String WEB_1 = "web [10.96.0.1] -> [10.1.0.1:8080]";
    private static final String WEB_2 = "web [10.96.0.1] -> [10.1.0.2:8080]";
    private static final String NEW = "new [10.96.0.9] -> []";

    private ScriptedApi api;

    @BeforeEach
    void oneService() throws Exception {
        api = new ScriptedApi();
        api.put(SERVICES, uid(service("web", "10.96.0.1"), "u1"));
        api.put(SLICES, webSlice("10.1.0.1"));
        api.put(NODES, node("a"));
    }

    @AfterEach
    void close() {
        api.close();
    }

    private static Service uid(Service service, String uid) {
        service.getMetadata().setUid(uid);
        return service;
    }

    private static EndpointSlice webSlice(String... addresses) {
        EndpointSlice slice = slice("web-1", "web", ready(addresses));
        slice.getMetadata().setUid("s1");
        return slice;
    }

    private FollowedSource follow() {
        return FollowedSource.of(api.address());
    }

    @ParameterizedTest
    @ValueSource(strings = {"/api/v1/services", "/apis/discovery.k8s.io/v1/endpointslices"})
    void nothingIsKnownBeforeAllListsAreComplete(String late) {
        api.stall(late);
        try (FollowedSource source = follow()) {
            String early = late.equals(SERVICES) ? SLICES : SERVICES;
            await().until(() -> api.openWatches(early) == 1);

            assertThat(source.snapshot()).isEmpty();

            api.endStall(late);
            source.awaitServed(WEB_1);
        }
    }

    @Test
    void aServerThatIsNotThereAtStartIsAskedUntilItIs() throws Exception {
        api.stop();
        try (FollowedSource source = follow()) {
            await().until(() -> source.watch("services").failures() > 2);
            assertThat(source.watch("services").age()).isEmpty();
            assertThat(source.watch("services").failure()).isPresent();
            assertThat(source.watch("endpointslices").failure()).isPresent();
            assertThat(source.snapshot()).isEmpty();

            api.restart();

            source.awaitServed(WEB_1);
            await().untilAsserted(
                            () -> {
                                assertThat(source.watch("services").failure()).isEmpty();
                                assertThat(source.watch("endpointslices").failure()).isEmpty();
                            });
        }
    }

    @Test
    void whatHappenedWhileTheServerWasAwayIsCaughtUpWithoutAnotherList() throws Exception {
        try (FollowedSource source = follow()) {
            source.awaitServed(WEB_1);
            awaitWatches();
            // A watch that ends soon and without a message would be taken for one that is too old.
            sendBookmarks();
            api.stop();
            await().until(() -> source.watch("services").failure().isPresent());
            api.put(SLICES, webSlice("10.1.0.2"));
            assertThat(source.awaitServed(WEB_1)).as("served on").isNotNull();

            api.restart();

            source.awaitServed(WEB_2);
            assertThat(api.lists(SLICES)).isEqualTo(1);
        }
    }

    @Test
    void theAgeGrowsWhileTheServerIsAwayAndNotWhileItIsThere() throws Exception {
        try (FollowedSource source = follow()) {
            source.awaitServed(WEB_1);
            awaitWatches();
            AtomicReference<Duration> last = new AtomicReference<>(Duration.ZERO);
            await("an answer to a ping makes it young")
                    .until(
                            () -> {
                                Duration age = source.watch("services").age().orElseThrow();
                                return age.compareTo(last.getAndSet(age)) < 0;
                            });

            api.stop();

            await().until(
                            () ->
                                    source.watch("services")
                                                    .age()
                                                    .orElseThrow()
                                                    .compareTo(FollowedSource.PACE.silenceLimit())
                                            > 0);
        }
    }

    @Test
    void aListThatDoesNotEndIsGivenUp() {
        api.stall(SERVICES);
        try (FollowedSource source = follow()) {
            await().until(() -> api.lists(SERVICES) >= 2);
            assertThat(source.watch("services").failure())
                    .contains("no complete answer in 2000 ms");
            api.endStall(SERVICES);
            source.awaitServed(WEB_1);
        }
    }

    @Test
    void aSecondListThatDoesNotEndIsGivenUpAsWell() {
        try (FollowedSource source = follow()) {
            source.awaitServed(WEB_1);
            awaitWatches();
            api.stall(SLICES);
            api.sendGone(SLICES);
            await().until(() -> api.lists(SLICES) >= 2);
            api.endStall(SLICES);
            api.put(SLICES, webSlice("10.1.0.2"));

            source.awaitServed(WEB_2);
            assertThat(source.watch("endpointslices").failures()).isPositive();
        }
    }

    @Test
    void listsThatAreGivenUpLeaveNoConnectionBehind() {
        api.stall(SERVICES);
        try (FollowedSource source = follow()) {
            await().atMost(Duration.ofSeconds(30)).until(() -> api.lists(SERVICES) >= 4);

            await().until(() -> api.connections() <= 5);
            assertThat(source.snapshot()).isEmpty();
        }
        // The JDK's client keeps idle ones for the next requests: two were sent at once.
        await().until(() -> api.connections() <= 2);
    }

    @Test
    void aVersionThatIsNotToldKeepsNothingFromBeingFollowed() {
        try (FollowedSource source = follow()) {
            source.awaitServed(WEB_1);
            awaitWatches();
            sendBookmarks();
            api.stall(SERVICES);
            api.dropWatches();
            awaitWatches();
            await().until(
                            () ->
                                    !api.requests(
                                                    r ->
                                                            r.path().equals(SERVICES)
                                                                    && r.parameters()
                                                                            .containsKey("limit"))
                                            .isEmpty());

            api.refuse(SLICES, true, 1, new Refusal(410));
            api.put(SLICES, webSlice("10.1.0.2"));
            api.dropWatches();

            source.awaitServed(WEB_2);
        }
    }

    @Test
    void aVersionThatIsNotToldIsAskedForEverMoreSeldom() {
        try (FollowedSource source = follow()) {
            source.awaitServed(WEB_1);
            awaitWatches();
            sendBookmarks();
            api.refuse(SERVICES, false, 1000, new Refusal(500));
            api.dropWatches();
            awaitWatches();
            await().until(() -> versionsAsked() >= 8);

            List<ScriptedApi.Request> asked =
                    api.requests(
                            r -> r.path().equals(SERVICES) && r.parameters().containsKey("limit"));
            assertThat(asked.get(7).nanos() - asked.get(6).nanos())
                    .as("half of the longest pause at least")
                    .isGreaterThan(FollowedSource.PACE.longestPause().toNanos() / 2);
        }
    }

    private int versionsAsked() {
        return api.requests(r -> r.path().equals(SERVICES) && r.parameters().containsKey("limit"))
                .size();
    }

    @ParameterizedTest
    @ValueSource(ints = {401, 403, 429, 500, 503})
    void aRefusedListIsRepeatedAndSaysSo(int status) {
        api.refuse(SERVICES, false, 3, new Refusal(status));
        try (FollowedSource source = follow()) {
            await().until(() -> source.watch("services").failures() > 0);
            source.awaitServed(WEB_1);
            assertThat(api.refusalsLeft(SERVICES, false)).isZero();
        }
    }

    @Test
    void whoMayListButNotWatchIsServedByListsAndToldOf() {
        api.refuse(SERVICES, true, 1000, new Refusal(403));
        try (FollowedSource source = follow()) {
            source.awaitServed(WEB_1);
            api.putSilently(SERVICES, uid(service("new", "10.96.0.9"), "u9"));

            source.awaitServed(NEW, WEB_1);
            assertThat(source.watch("services").failure())
                    .as("also while the last list was complete")
                    .hasValueSatisfying(failure -> assertThat(failure).contains("403"));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void thePauseThatTheServerAsksForIsKept(boolean watch) {
        api.refuse(SERVICES, watch, 1, new Refusal(429, Map.of("Retry-After", "2")));
        try (FollowedSource source = follow()) {
            await().until(() -> api.refusalsLeft(SERVICES, watch) == 0);
            source.awaitServed(WEB_1);
            await().until(() -> api.openWatches(SERVICES) == 1);
        }
        List<ScriptedApi.Request> asked =
                api.requests(r -> r.path().equals(SERVICES) && (watch ? r.watch() : r.listsAll()));
        assertThat(asked.get(1).nanos() - asked.get(0).nanos())
                .isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(1900));
    }

    @Test
    void aWatchThatIsRefusedTwentyTimesComesBack() {
        try (FollowedSource source = follow()) {
            source.awaitServed(WEB_1);
            awaitWatches();
            api.refuse(SERVICES, true, 20, new Refusal(503));
            api.dropWatches();
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> api.refusalsLeft(SERVICES, true) == 0);

            api.put(SERVICES, uid(service("new", "10.96.0.9"), "u9"));

            source.awaitServed(NEW, WEB_1);
        }
        assertThat(api.requests(r -> r.path().equals(SERVICES) && r.watch()))
                .as("one try after the other")
                .hasSizeBetween(22, 24)
                .as("none without pings")
                .allMatch(ScriptedApi.Request::upgrade);
    }

    @Test
    void eventsThatAreGoneMeanAnotherListAndDeletesFromIt() {
        api.put(SERVICES, uid(service("old", "10.96.0.2"), "u2"));
        try (FollowedSource source = follow()) {
            ServiceSnapshot before = source.awaitServed("old [10.96.0.2] -> []", WEB_1);
            awaitWatches();
            api.deleteSilently(SERVICES, service("old", "10.96.0.2"));

            api.sendGone(SERVICES);

            ServiceSnapshot after = source.awaitServed(WEB_1);
            assertThat(api.lists(SERVICES)).isEqualTo(2);
            assertThat(web(after)).as("a kept Service port").isSameAs(web(before));
        }
    }

    @Test
    void eventsThatAreGoneTimeAndAgainLeaveNoConnectionBehind() {
        try (FollowedSource source = follow()) {
            source.awaitServed(WEB_1);
            for (int i = 1; i <= 20; i++) {
                awaitWatches();
                api.sendGone(SERVICES);
                int lists = i + 1;
                await().until(() -> api.lists(SERVICES) >= lists);
            }
            awaitWatches();
            assertThat(api.openWatches(SERVICES)).isEqualTo(1);
            source.awaitServed(WEB_1);
        }
    }

    @Test
    void aWatchRefusedAsGoneMeansAnotherList() {
        try (FollowedSource source = follow()) {
            source.awaitServed(WEB_1);
            awaitWatches();
            api.putSilently(SERVICES, uid(service("new", "10.96.0.9"), "u9"));
            api.refuse(SERVICES, true, 1, new Refusal(410));

            api.dropWatches();

            source.awaitServed(NEW, WEB_1);
        }
    }

    @Test
    void watchesThatEndAtOnceMeanAnotherListAndFewRequests() {
        try (FollowedSource source = follow()) {
            source.awaitServed(WEB_1);
            awaitWatches();
            api.putSilently(SLICES, webSlice("10.1.0.2"));
            api.closeNextWatches(4);

            api.dropWatches();

            source.awaitServed(WEB_2);
            await().until(() -> api.watchesToClose() == 0);
            awaitWatches();
        }
        assertThat(api.requests(ScriptedApi.Request::listsAll)).hasSizeLessThanOrEqualTo(15);
    }

    @Test
    void bookmarksMoveTheVersionAndNothingElse() {
        try (FollowedSource source = follow()) {
            source.awaitServed(WEB_1);
            awaitWatches();
            int changes = source.changes();
            for (int i = 0; i < 100; i++) {
                sendBookmarks();
            }
            String last = Long.toString(api.version());
            api.dropWatches();
            await().until(() -> api.openWatches(SERVICES) == 1);

            assertThat(api.requests(r -> r.path().equals(SERVICES) && r.watch()))
                    .last()
                    .satisfies(
                            watch ->
                                    assertThat(watch.parameters())
                                            .containsEntry("resourceVersion", last)
                                            .containsEntry("allowWatchBookmarks", "true")
                                            .containsKey("timeoutSeconds"));
            assertThat(source.changes()).isEqualTo(changes);
        }
    }

    @Test
    void aWatchThatDiedWithoutAWordIsReplaced() throws Exception {
        try (ApiRelay network = new ApiRelay(api.port());
                FollowedSource source =
                        FollowedSource.of(URI.create("http://127.0.0.1:" + network.port()))) {
            source.awaitServed(WEB_1);
            awaitWatches();

            network.freeze();
            api.put(SLICES, webSlice("10.1.0.2"));

            source.awaitServed(WEB_2);
            assertThat(source.watch("endpointslices").failures()).isPositive();
        }
    }

    @Test
    void aServerWithAnotherHistoryIsListedAnew() throws Exception {
        try (FollowedSource source = follow()) {
            source.awaitServed(WEB_1);
            awaitWatches();
            api.stop();
            api.forgetAll(5);
            api.put(SERVICES, uid(service("new", "10.96.0.9"), "u9"));

            api.restart();

            source.awaitServed(NEW);
            api.put(SLICES, slice("new-1", "new", ready("10.1.0.3")));
            source.awaitServed("new [10.96.0.9] -> [10.1.0.3:8080]");
        }
    }

    @Test
    void eventsThatComeAgainChangeNothingInTheEnd() {
        try (FollowedSource source = follow()) {
            for (int i = 1; i <= 25; i++) {
                api.put(SLICES, webSlice("10.1.0." + i));
                api.put(SERVICES, uid(service("s" + i, "10.96.1." + i), "u-" + i));
            }
            await().until(
                            () ->
                                    source.snapshot().map(s -> s.servicePorts().size()).orElse(0)
                                            == 26);
            awaitWatches();

            api.replay(SLICES, 25);
            api.replay(SERVICES, 25);
            api.put(SLICES, slice("s1-1", "s1", ready("10.1.9.9")));

            await().untilAsserted(
                            () -> {
                                ServiceSnapshot now = source.snapshot().orElseThrow();
                                assertThat(now.servicePorts()).hasSize(26);
                                assertThat(endpointsOf(now, "s1")).containsExactly("10.1.9.9:8080");
                                assertThat(endpointsOf(now, "web"))
                                        .containsExactly("10.1.0.25:8080");
                            });
        }
    }

    @Test
    void aServiceThatIsDeletedAndMadeAgainHasItsNewAddressOnly() {
        try (FollowedSource source = follow()) {
            source.awaitServed(WEB_1);
            awaitWatches();
            api.delete(SERVICES, service("web", "10.96.0.1"));
            api.put(SERVICES, uid(service("web", "10.96.0.77"), "u77"));

            source.awaitServed("web [10.96.0.77] -> [10.1.0.1:8080]");
        }
    }

    @Test
    void endpointsThatMoveBetweenSlicesAreNeverCountedTwice() {
        EndpointSlice second = slice("web-2", "web", ready("10.1.0.2"));
        api.put(SLICES, second);
        try (FollowedSource source = follow()) {
            source.awaitServed("web [10.96.0.1] -> [10.1.0.1:8080, 10.1.0.2:8080]");
            api.put(SLICES, webSlice("10.1.0.1", "10.1.0.2"));
            api.delete(SLICES, second);
            api.put(SLICES, webSlice("10.1.0.2"));

            source.awaitServed(WEB_2);
        }
    }

    @Test
    void whatIsNoObjectDoesNotEndTheWatch() {
        try (FollowedSource source = follow()) {
            source.awaitServed(WEB_1);
            awaitWatches();

            api.sendText(SERVICES, "{\"type\":\"ADDED\",\"object\":{\"kind\":\"Service\"");
            api.put(SERVICES, uid(service("new", "10.96.0.9"), "u9"));

            source.awaitServed(NEW, WEB_1);
        }
    }

    @Test
    void anObjectWithoutAnythingIsLeftOutAndOthersAreServed() {
        try (FollowedSource source = follow()) {
            source.awaitServed(WEB_1);
            awaitWatches();
            Service odd = service("odd", "10.96.0.5");
            odd.setSpec(null);
            api.put(SERVICES, odd);
            EndpointSlice oddSlice = slice("odd-1", "odd", ready("10.1.0.1"));
            oddSlice.setEndpoints(null);
            oddSlice.setPorts(null);
            oddSlice.setAddressType(null);
            api.put(SLICES, oddSlice);
            api.put(SERVICES, uid(service("new", "10.96.0.9"), "u9"));

            source.awaitServed(NEW, WEB_1);
        }
    }

    @Test
    void aServerThatLosesTheVersionOfSlicesIsAskedAgainWhichItHas() {
        api.put(ScriptedApi.BETA_SLICES, KubernetesFixtures.betaSlice("web-b", "web", "10.1.0.2"));
        try (FollowedSource source = follow()) {
            source.awaitServed(WEB_1);
            awaitWatches();

            api.discoveryVersions(List.of("v1beta1"));
            api.dropWatches();

            source.awaitServed(WEB_2);
            api.discoveryVersions(List.of("v1"));
            api.dropWatches();
            source.awaitServed(WEB_1);
        }
    }

    @Test
    void oneAnswerFromSomethingInFrontOfTheServerDoesNotDecide() {
        api.put(ENDPOINTS, KubernetesFixtures.endpoints("web", "10.1.0.9"));
        api.refuse("/apis/discovery.k8s.io", false, 1, new Refusal(404));
        try (FollowedSource source = follow()) {
            source.awaitServed(WEB_1);
            awaitWatches();

            api.refuse(SLICES, true, 1, new Refusal(404));
            api.refuse("/apis/discovery.k8s.io", false, 1, new Refusal(404));
            sendBookmarks();
            api.dropWatches();
            awaitWatches();
            api.put(SLICES, webSlice("10.1.0.2"));

            source.awaitServed(WEB_2);
        }
        assertThat(api.requests(r -> r.path().equals(ENDPOINTS))).isEmpty();
    }

    @Test
    void aServerThatGetsSlicesLaterIsFollowedByThem() {
        api.discoveryVersions(List.of());
        api.put(ENDPOINTS, KubernetesFixtures.endpoints("web", "10.1.0.9"));
        try (FollowedSource source = follow()) {
            source.awaitServed("web [10.96.0.1] -> [10.1.0.9:8080]");

            api.discoveryVersions(List.of("v1"));

            source.awaitServed(WEB_1);
            await().until(() -> api.openWatches(ENDPOINTS) == 0);
        }
    }

    @Test
    void endpointsAreUsedWhereThereAreNoSlices() {
        api.discoveryVersions(List.of());
        api.put(ENDPOINTS, KubernetesFixtures.endpoints("web", "10.1.0.2"));
        try (FollowedSource source = follow()) {
            source.awaitServed(WEB_2);
            api.put(ENDPOINTS, KubernetesFixtures.endpoints("web", "10.1.0.1"));
            source.awaitServed(WEB_1);
        }
        assertThat(api.requests(r -> r.path().contains("endpointslices"))).isEmpty();
    }

    @Test
    void onlyOneKindOfEndpointsIsEverAskedFor() {
        api.put(ENDPOINTS, KubernetesFixtures.endpoints("web", "10.1.0.2"));
        try (FollowedSource source = follow()) {
            source.awaitServed(WEB_1);
        }
        assertThat(api.requests(r -> r.path().equals(ENDPOINTS))).isEmpty();
    }

    @Test
    void whoMayNotAskWhatThereIsTakesV1() {
        api.refuse("/apis/discovery.k8s.io", false, 1, new Refusal(403));
        try (FollowedSource source = follow()) {
            source.awaitServed(WEB_1);
        }
    }

    @Test
    void theServerLeavesOutWhatIsForOthers() {
        try (FollowedSource source = follow()) {
            source.awaitServed(WEB_1);
        }
        assertThat(api.requests(r -> r.path().equals(SERVICES)))
                .allSatisfy(
                        r ->
                                assertThat(r.parameters())
                                        .containsEntry(
                                                "labelSelector",
                                                "!service.kubernetes.io/service-proxy-name"));
        assertThat(api.requests(r -> r.path().equals(SLICES)))
                .allSatisfy(
                        r ->
                                assertThat(r.parameters().get("labelSelector"))
                                        .contains(
                                                "!service.kubernetes.io/service-proxy-name",
                                                "!service.kubernetes.io/headless"));
    }

    @Test
    void nothingGoesOnAfterClose() {
        FollowedSource source = follow();
        source.awaitServed(WEB_1);
        awaitWatches();
        source.close();
        int changes = source.changes();

        await().until(() -> api.openWatches(SERVICES) + api.openWatches(SLICES) == 0);
        api.put(SERVICES, uid(service("new", "10.96.0.9"), "u9"));

        assertThat(source.changes()).isEqualTo(changes);
        assertThat(Thread.getAllStackTraces().keySet())
                .noneMatch(thread -> thread.getName().equals("sluice-kubernetes"));
    }

    @Test
    void closingDoesNotWaitForAServerThatDoesNotAnswer() {
        api.stall(SERVICES);
        api.stall(SLICES);
        FollowedSource source = follow();
        await().until(() -> api.lists(SERVICES) > 0);
        source.close();
        assertThat(source.snapshot()).isEmpty();
    }

    private void sendBookmarks() {
        api.bookmark(SLICES, "EndpointSlice", "discovery.k8s.io/v1");
        api.bookmark(NODES, "Node", "v1");
        api.bookmark(SERVICES, "Service", "v1");
    }

    private void awaitWatches() {
        await().atMost(Duration.ofSeconds(30))
                .until(
                        () ->
                                Stream.of(SERVICES, SLICES, NODES)
                                        .allMatch(path -> api.openWatches(path) == 1));
    }

    private static ServicePort web(ServiceSnapshot snapshot) {
        return snapshot.servicePorts().values().stream()
                .filter(port -> port.name().service().name().equals("web"))
                .findFirst()
                .orElseThrow();
    }
}
