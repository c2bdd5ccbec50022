package dev.sluice.balance;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.Endpoint;
import dev.sluice.model.EndpointSet;
import dev.sluice.model.IpAddress;
import dev.sluice.model.IpFamily;
import dev.sluice.model.Protocol;
import dev.sluice.model.ServicePort;
import dev.sluice.model.ServicePortName;
import dev.sluice.model.SessionAffinity;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class RoundRobinSelectorTest {
    private static final ServicePortName NAME =
            ServicePortName.of("default", "web", "http", Protocol.TCP);
    private static final IpAddress CLIENT = IpAddress.parse("192.0.2.1");

    private final RoundRobinSelectorFactory factory = startingAt(0);

    @Test
    void threeHundredConnectionsOnThreeEndpointsGiveAHundredEach() {
        BackendSelector selector =
                factory.selector(web(endpoints(3)), EndpointSet.CLUSTER, IpFamily.IPV4);

        assertThat(counts(draw(selector, 300)).values()).containsExactly(100L, 100L, 100L);
    }

    @Test
    void whatOneOfThreeRefusesIsSharedEvenlyByTheOthers() {
        List<Endpoint> endpoints = endpoints(3);
        Endpoint refusing = endpoints.get(1);
        BackendSelector selector =
                factory.selector(web(endpoints), EndpointSet.CLUSTER, IpFamily.IPV4);

        List<Endpoint> connected = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            connected.add(connect(selector, Set.of(refusing)));
        }

        assertThat(counts(connected))
                .isEqualTo(Map.of(endpoints.get(0), 150L, endpoints.get(2), 150L));
    }

    @Test
    void aFailedTryDoesNotShiftTheTurnOfOthers() {
        BackendSelector disturbed =
                factory.selector(web(endpoints(3)), EndpointSet.CLUSTER, IpFamily.IPV4);
        BackendSelector calm =
                startingAt(0).selector(web(endpoints(3)), EndpointSet.CLUSTER, IpFamily.IPV4);

        for (int i = 0; i < 30; i++) {
            Endpoint first = disturbed.select(CLIENT, Set.of()).orElseThrow();
            assertThat(calm.select(CLIENT, Set.of())).contains(first);
            disturbed.dialFailed(CLIENT, first);
            assertThat(disturbed.select(CLIENT, Set.of(first)))
                    .hasValueSatisfying(second -> assertThat(second).isNotEqualTo(first));
        }
    }

    @Test
    void theAnswerIsEmptyOnlyWhenNothingUntriedIsLeft() {
        List<Endpoint> endpoints = endpoints(4);
        BackendSelector selector =
                factory.selector(web(endpoints), EndpointSet.CLUSTER, IpFamily.IPV4);

        Set<Endpoint> tried = new HashSet<>();
        for (int i = 0; i < 4; i++) {
            assertThat(selector.select(CLIENT, tried))
                    .hasValueSatisfying(next -> assertThat(tried.add(next)).isTrue());
        }

        assertThat(selector.select(CLIENT, tried)).isEmpty();
        assertThat(
                        factory.selector(web(List.of()), EndpointSet.CLUSTER, IpFamily.IPV4)
                                .select(CLIENT, Set.of()))
                .isEmpty();
    }

    @Test
    void aRetryAfterEndpointsThatLeftTheSetStillFindsOne() {
        BackendSelector selector =
                factory.selector(web(endpoints(1)), EndpointSet.CLUSTER, IpFamily.IPV4);

        assertThat(selector.select(CLIENT, Set.of(endpoint(7)))).contains(endpoint(0));
    }

    @Test
    void aSelectorOfOneFamilyKnowsNoEndpointOfTheOther() {
        Endpoint six = new Endpoint(IpAddress.parse("fd00::1"), 8080);
        ServicePort both = web(Stream.of(endpoint(0), six).toList());

        assertThat(draw(factory.selector(both, EndpointSet.CLUSTER, IpFamily.IPV6), 4))
                .containsOnly(six);
        assertThat(draw(factory.selector(both, EndpointSet.CLUSTER, IpFamily.IPV4), 4))
                .containsOnly(endpoint(0));
    }

    @Test
    void aNewSelectorGoesOnWhereTheOldOneWas() {
        List<Endpoint> endpoints = endpoints(3);
        draw(factory.selector(web(endpoints), EndpointSet.CLUSTER, IpFamily.IPV4), 2);

        BackendSelector next = factory.selector(web(endpoints), EndpointSet.CLUSTER, IpFamily.IPV4);

        assertThat(draw(next, 3))
                .containsExactly(endpoints.get(2), endpoints.get(0), endpoints.get(1));
    }

    @Test
    void retriesGoOnWhereTheOldSelectorWasToo() {
        List<Endpoint> endpoints = endpoints(3);
        Set<Endpoint> tried = Set.of(endpoints.get(0));
        factory.selector(web(endpoints), EndpointSet.CLUSTER, IpFamily.IPV4).select(CLIENT, tried);

        BackendSelector next = factory.selector(web(endpoints), EndpointSet.CLUSTER, IpFamily.IPV4);

        assertThat(next.select(CLIENT, tried)).contains(endpoints.get(2));
    }

    @Test
    void aRemovedServicePortBeginsAnew() {
        List<Endpoint> endpoints = endpoints(3);
        draw(factory.selector(web(endpoints), EndpointSet.CLUSTER, IpFamily.IPV4), 2);

        factory.remove(NAME);

        assertThat(draw(factory.selector(web(endpoints), EndpointSet.CLUSTER, IpFamily.IPV4), 1))
                .containsExactly(endpoints.get(0));
    }

    @Test
    void theRoundBeginsWhereTheGeneratorSays() {
        List<Endpoint> endpoints = endpoints(5);

        Set<Endpoint> begins = new HashSet<>();
        for (int start = 0; start < 5; start++) {
            BackendSelector selector =
                    startingAt(start).selector(web(endpoints), EndpointSet.CLUSTER, IpFamily.IPV4);
            begins.addAll(draw(selector, 1));
        }

        assertThat(begins).hasSize(5);
    }

    @Property(tries = 300)
    void everyWindowIsEvenWithinOneForAnyStart(
            @ForAll int start,
            @ForAll @IntRange(min = 1, max = 40) int size,
            @ForAll @IntRange(min = 0, max = 200) int before,
            @ForAll @IntRange(min = 1, max = 500) int window) {
        assertEven(start, size, before, window);
    }

    @Property(tries = 100)
    void theIntegerLimitIsNoJump(
            @ForAll @IntRange(min = 0, max = 20) int below,
            @ForAll @IntRange(min = 1, max = 40) int size,
            @ForAll @IntRange(min = 1, max = 200) int window) {
        assertEven(Integer.MAX_VALUE - below, size, 0, window);
        assertEven(-1 - below, size, 0, window);
    }

    @Property(tries = 200)
    void retriesOverOneSetAreEvenWithinOne(
            @ForAll int start,
            @ForAll @IntRange(min = 2, max = 20) int size,
            @ForAll @IntRange(min = 1, max = 200) int window) {
        List<Endpoint> endpoints = endpoints(size);
        BackendSelector selector =
                startingAt(start).selector(web(endpoints), EndpointSet.CLUSTER, IpFamily.IPV4);
        Set<Endpoint> tried = Set.of(endpoints.get(size / 2));

        List<Endpoint> drawn =
                IntStream.range(0, window)
                        .mapToObj(i -> selector.select(CLIENT, tried).orElseThrow())
                        .toList();

        assertThat(drawn).doesNotContainAnyElementsOf(tried);
        assertSpread(drawn, size - 1);
    }

    @Test
    void tenThousandEndpointsAllHaveTheirTurn() {
        List<Endpoint> endpoints = endpoints(10_000);
        BackendSelector selector =
                factory.selector(web(endpoints), EndpointSet.CLUSTER, IpFamily.IPV4);

        assertThat(draw(selector, 10_000)).containsExactlyInAnyOrderElementsOf(endpoints);
        assertThat(selector.select(CLIENT, new HashSet<>(endpoints.subList(0, 9_999))))
                .contains(endpoints.get(9_999));
    }

    @Test
    void threadsThatDrawAtOnceGetExactShares() throws Exception {
        int threads = 4;
        int each = 30_000;
        List<Endpoint> endpoints = endpoints(3);
        BackendSelector selector =
                factory.selector(web(endpoints), EndpointSet.CLUSTER, IpFamily.IPV4);
        CyclicBarrier start = new CyclicBarrier(threads);
        Callable<List<Endpoint>> drawing =
                () -> {
                    start.await();
                    return draw(selector, each);
                };

        ExecutorService executor = Executors.newFixedThreadPool(threads);
        List<Endpoint> drawn = new ArrayList<>();
        try {
            for (Future<List<Endpoint>> part :
                    executor.invokeAll(Collections.nCopies(threads, drawing))) {
                drawn.addAll(part.get());
            }
        } finally {
            executor.shutdownNow();
        }

        assertThat(counts(drawn).values()).containsExactly(40_000L, 40_000L, 40_000L);
    }

    private static void assertEven(int start, int size, int before, int window) {
        BackendSelector selector =
                startingAt(start)
                        .selector(web(endpoints(size)), EndpointSet.CLUSTER, IpFamily.IPV4);
        draw(selector, before);
        assertSpread(draw(selector, window), size);
    }

    private static void assertSpread(List<Endpoint> drawn, int size) {
        Collection<Long> counts = counts(drawn).values();
        long least = counts.size() < size ? 0 : Collections.min(counts);
        assertThat(Collections.max(counts) - least).isLessThanOrEqualTo(1);
    }

    private static Endpoint connect(BackendSelector selector, Set<Endpoint> refusing) {
        Set<Endpoint> tried = new HashSet<>();
        while (true) {
            Endpoint endpoint = selector.select(CLIENT, tried).orElseThrow();
            if (!refusing.contains(endpoint)) {
                return endpoint;
            }
            selector.dialFailed(CLIENT, endpoint);
            tried.add(endpoint);
        }
    }

    private static List<Endpoint> draw(BackendSelector selector, int times) {
        return IntStream.range(0, times)
                .mapToObj(i -> selector.select(CLIENT, Set.of()).orElseThrow())
                .toList();
    }

    private static Map<Endpoint, Long> counts(List<Endpoint> drawn) {
        return drawn.stream().collect(groupingBy(Function.identity(), counting()));
    }

    private static RoundRobinSelectorFactory startingAt(int start) {
        // nextInt() is the upper half of nextLong().
        RandomGenerator fixed = () -> (long) start << 32;
        return new RoundRobinSelectorFactory(fixed);
    }

    private static ServicePort web(List<Endpoint> endpoints) {
        return new ServicePort(
                NAME,
                List.of(IpAddress.parse("10.96.0.1"), IpAddress.parse("fd00:96::1")),
                80,
                SessionAffinity.NONE,
                endpoints);
    }

    private static List<Endpoint> endpoints(int count) {
        return IntStream.range(0, count).mapToObj(RoundRobinSelectorTest::endpoint).toList();
    }

    private static Endpoint endpoint(int index) {
        return new Endpoint(
                IpAddress.parse("10.244." + index / 250 + "." + (1 + index % 250)), 8080);
    }
}
