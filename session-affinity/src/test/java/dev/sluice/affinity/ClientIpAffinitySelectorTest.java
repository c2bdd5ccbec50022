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
import org.junit.jupiter.api.Test;

/** What one selector does for its clients. */
class ClientIpAffinitySelectorTest {
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

    @Test
    void aRetryPassesOverAPinToAnEndpointItTried() {
        BackendSelector selector = fixture.web(clientIp(60), endpoints(3));
        Endpoint tried = connect(selector, CLIENT);

        Endpoint next = selector.select(CLIENT, Set.of(tried)).orElseThrow();

        assertThat(next).isNotEqualTo(tried);
        assertThat(connect(selector, CLIENT)).isEqualTo(next);
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
        int threads = 4;
        int clients = 500;
        BackendSelector selector = fixture.web(clientIp(60), endpoints(7));
        CyclicBarrier together = new CyclicBarrier(threads);
        Callable<List<Endpoint>> connecting =
                () -> {
                    List<Endpoint> got = new ArrayList<>();
                    for (int i = 0; i < clients; i++) {
                        together.await();
                        got.add(connect(selector, client(i)));
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

        assertThat(answers).hasSize(1);
    }
}
