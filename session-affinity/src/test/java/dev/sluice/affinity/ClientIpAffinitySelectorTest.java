package dev.sluice.affinity;

import static dev.sluice.affinity.AffinityFixture.CLIENT;
import static dev.sluice.affinity.AffinityFixture.client;
import static dev.sluice.affinity.AffinityFixture.clientIp;
import static dev.sluice.affinity.AffinityFixture.connect;
import static dev.sluice.affinity.AffinityFixture.endpoint;
import static dev.sluice.affinity.AffinityFixture.endpoints;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.balance.BackendSelector;
import dev.sluice.model.Endpoint;
import dev.sluice.model.IpAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** What one selector does for its clients. */
class ClientIpAffinitySelectorTest {
    private static final int CLIENTS = 500;

    private final AffinityFixture fixture = new AffinityFixture(1_000);

    @Test
    void aFailedDialReplacesThePin() {
        BackendSelector selector = fixture.web(clientIp(60), endpoints(3));
        Endpoint dead = connect(selector, CLIENT);

        selector.dialFailed(CLIENT, dead);
        Endpoint next = selector.select(CLIENT, Set.of(dead)).orElseThrow();

        assertThat(next).isNotEqualTo(dead);
        assertThat(connect(selector, CLIENT)).isEqualTo(next);
        assertThat(fixture.pins()).isEqualTo(1);
    }

    /** A fault of this node: the endpoint was tried, but no failure of it was told. */
    @Test
    void aLocalFaultLeavesThePin() {
        BackendSelector selector = fixture.web(clientIp(60), endpoints(3));
        Endpoint pinned = connect(selector, CLIENT);

        for (int i = 0; i < 10; i++) {
            assertThat(selector.select(CLIENT, Set.of(pinned)).orElseThrow()).isNotEqualTo(pinned);
        }

        assertThat(connect(selector, CLIENT)).isEqualTo(pinned);
        assertThat(fixture.pins()).isEqualTo(1);
    }

    @Test
    void aLocalFaultLeavesThePinToASoleEndpoint() {
        BackendSelector selector = fixture.web(clientIp(60), endpoints(1));

        assertThat(connect(selector, CLIENT)).isEqualTo(endpoint(1));
        assertThat(selector.select(CLIENT, Set.of(endpoint(1)))).isEmpty();

        assertThat(fixture.pins()).isEqualTo(1);
    }

    @Test
    void aLocalFaultDoesNotProlongThePin() {
        BackendSelector selector = fixture.web(clientIp(60), endpoints(3));
        Endpoint pinned = connect(selector, CLIENT);
        fixture.time.advance(Duration.ofSeconds(59));
        assertThat(selector.select(CLIENT, Set.of(pinned))).isPresent();

        fixture.time.advance(Duration.ofSeconds(1));

        assertThat(connect(selector, CLIENT)).isNotEqualTo(pinned);
    }

    @Test
    void aFailureAfterALocalFaultLeavesThePin() {
        BackendSelector selector = fixture.web(clientIp(60), endpoints(3));
        Endpoint pinned = connect(selector, CLIENT);
        Endpoint dead = selector.select(CLIENT, Set.of(pinned)).orElseThrow();

        selector.dialFailed(CLIENT, dead);
        Endpoint last = selector.select(CLIENT, Set.of(pinned, dead)).orElseThrow();

        assertThat(last).isNotIn(pinned, dead);
        assertThat(connect(selector, CLIENT)).isEqualTo(pinned);
    }

    @Test
    void aLocalFaultAfterAFailureLeavesTheNewPin() {
        BackendSelector selector = fixture.web(clientIp(60), endpoints(3));
        Endpoint dead = connect(selector, CLIENT);
        selector.dialFailed(CLIENT, dead);
        Endpoint pinned = selector.select(CLIENT, Set.of(dead)).orElseThrow();

        Endpoint last = selector.select(CLIENT, Set.of(dead, pinned)).orElseThrow();

        assertThat(last).isNotIn(pinned, dead);
        assertThat(connect(selector, CLIENT)).isEqualTo(pinned);
    }

    @Test
    void aTriedPinToAnEndpointThatIsGoneIsReplaced() {
        BackendSelector stale = fixture.web(clientIp(60), List.of(endpoint(1)));
        BackendSelector current = fixture.web(clientIp(60), List.of(endpoint(2), endpoint(3)));
        connect(stale, CLIENT);

        Endpoint next = current.select(CLIENT, Set.of(endpoint(1))).orElseThrow();

        assertThat(connect(current, CLIENT)).isEqualTo(next);
    }

    @Test
    void aFailureElsewhereLeavesThePin() {
        BackendSelector selector = fixture.web(clientIp(60), endpoints(3));
        Endpoint pinned = connect(selector, CLIENT);

        for (Endpoint other : endpoints(3)) {
            if (!other.equals(pinned)) {
                selector.dialFailed(CLIENT, other);
            }
        }
        selector.dialFailed(client(1), pinned);

        assertThat(connect(selector, CLIENT)).isEqualTo(pinned);
    }

    @Test
    void aClientThatOnlyFailsHasNoPin() {
        BackendSelector selector = fixture.web(clientIp(5), endpoints(1));

        for (int i = 0; i < 20; i++) {
            Endpoint dead = connect(selector, CLIENT);
            selector.dialFailed(CLIENT, dead);
            assertThat(selector.select(CLIENT, Set.of(dead))).isEmpty();
            assertThat(fixture.pins()).isZero();
            fixture.time.advance(Duration.ofSeconds(1));
        }
    }

    @Test
    void theAnswerIsEmptyOnlyWhenNothingUntriedIsLeft() {
        BackendSelector selector = fixture.web(clientIp(60), endpoints(4));
        Set<Endpoint> tried = new HashSet<>();
        for (int i = 0; i < 4; i++) {
            Endpoint next = selector.select(CLIENT, tried).orElseThrow();
            selector.dialFailed(CLIENT, next);
            assertThat(tried.add(next)).isTrue();
        }

        assertThat(selector.select(CLIENT, tried)).isEmpty();
    }

    @Test
    void aPinMadeThroughAStaleSelectorIsReplacedWhenItsEndpointIsGone() {
        BackendSelector stale = fixture.web(clientIp(60), List.of(endpoint(1)));
        BackendSelector current = fixture.web(clientIp(60), List.of(endpoint(2)));

        assertThat(connect(stale, CLIENT)).isEqualTo(endpoint(1));

        assertThat(connect(current, CLIENT)).isEqualTo(endpoint(2));
        assertThat(connect(current, CLIENT)).isEqualTo(endpoint(2));
    }

    @Test
    void whatIsPinnedCostsTheOthersNoTurn() {
        BackendSelector selector = fixture.web(clientIp(60), endpoints(3));
        assertThat(connect(selector, client(1))).isEqualTo(endpoint(1));
        for (int i = 0; i < 10; i++) {
            connect(selector, client(1));
        }

        assertThat(connect(selector, client(2))).isEqualTo(endpoint(2));
    }

    @Test
    void aFailedDialIsToldToTheWrappedSelector() {
        List<Endpoint> told = new ArrayList<>();
        BackendSelector wrapped =
                new BackendSelector() {
                    @Override
                    public Optional<Endpoint> select(IpAddress client, Set<Endpoint> tried) {
                        return Optional.of(endpoint(1));
                    }

                    @Override
                    public void dialFailed(IpAddress client, Endpoint endpoint) {
                        told.add(endpoint);
                    }
                };
        AffinityTable table =
                new AffinityTable(10, Duration.ofSeconds(60), fixture.time, fixture.time);

        new ClientIpAffinitySelector(wrapped, Set.of(endpoint(1)), table)
                .dialFailed(CLIENT, endpoint(1));

        assertThat(told).containsExactly(endpoint(1));
    }

    @Test
    void theTableStaysWithinItsBound() {
        BackendSelector selector = fixture.web(clientIp(60), endpoints(3));

        for (int i = 0; i < 50_000; i++) {
            connect(selector, client(i));
        }

        await().until(() -> fixture.pins() <= 1_000);
    }

    @Test
    void parallelFirstConnectionsOfOneClientAgree() throws Exception {
        BackendSelector selector = fixture.web(clientIp(60), endpoints(7));

        assertThat(inParallel(client -> connect(selector, client))).hasSize(1);
    }

    @Test
    void parallelConnectionsWhosePinFailedAgree() throws Exception {
        Endpoint dead = endpoint(1);
        BackendSelector before = fixture.web(clientIp(60), List.of(dead));
        for (int i = 0; i < CLIENTS; i++) {
            connect(before, client(i));
        }
        BackendSelector selector = fixture.web(clientIp(60), endpoints(7));

        Set<List<Endpoint>> answers =
                inParallel(
                        client -> {
                            selector.dialFailed(client, dead);
                            return selector.select(client, Set.of(dead)).orElseThrow();
                        });

        assertThat(answers).hasSize(1);
        assertThat(answers.iterator().next()).doesNotContain(dead);
    }

    @Test
    void parallelLocalFaultsMoveNoPin() throws Exception {
        BackendSelector selector = fixture.web(clientIp(60), endpoints(7));

        Set<List<Endpoint>> answers =
                inParallel(
                        client -> {
                            Endpoint pinned = connect(selector, client);
                            assertThat(selector.select(client, Set.of(pinned)))
                                    .isPresent()
                                    .isNotEqualTo(Optional.of(pinned));
                            return connect(selector, client);
                        });

        assertThat(answers).hasSize(1);
    }

    /** What each of 4 threads got for the same clients, which they go through in step. */
    private static Set<List<Endpoint>> inParallel(Function<IpAddress, Endpoint> connection)
            throws Exception {
        int threads = 4;
        CyclicBarrier together = new CyclicBarrier(threads);
        Callable<List<Endpoint>> connecting =
                () -> {
                    List<Endpoint> got = new ArrayList<>();
                    for (int i = 0; i < CLIENTS; i++) {
                        together.await();
                        got.add(connection.apply(client(i)));
                    }
                    return got;
                };
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        Set<List<Endpoint>> answers = new HashSet<>();
        try {
            for (Future<List<Endpoint>> answer :
                    executor.invokeAll(Collections.nCopies(threads, connecting))) {
                answers.add(answer.get());
            }
        } finally {
            executor.shutdownNow();
        }
        return answers;
    }
}
