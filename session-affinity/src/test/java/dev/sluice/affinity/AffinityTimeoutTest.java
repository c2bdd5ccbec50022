package dev.sluice.affinity;

import static dev.sluice.affinity.AffinityFixture.CLIENT;
import static dev.sluice.affinity.AffinityFixture.client;
import static dev.sluice.affinity.AffinityFixture.clientIp;
import static dev.sluice.affinity.AffinityFixture.connect;
import static dev.sluice.affinity.AffinityFixture.endpoints;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.github.benmanes.caffeine.cache.Scheduler;
import com.github.benmanes.caffeine.cache.Ticker;
import dev.sluice.balance.BackendSelector;
import dev.sluice.model.Endpoint;
import dev.sluice.model.SessionAffinity;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** When a pin ends. Over three endpoints in turn, an unpinned client is sent to the next one. */
class AffinityTimeoutTest {
    private final AffinityFixture fixture = new AffinityFixture(10_000);
    private final FakeTime time = fixture.time;
    private final List<Endpoint> endpoints = endpoints(3);

    @Test
    void aPinOfThreeSecondsIsAliveAtTwoPointNineAndGoneAtThreePointOne() {
        BackendSelector selector = fixture.web(clientIp(3), endpoints);
        Endpoint early = connect(selector, client(1));
        Endpoint late = connect(selector, client(2));

        time.advance(Duration.ofMillis(2_900));
        assertThat(connect(selector, client(1))).isEqualTo(early);

        time.advance(Duration.ofMillis(200));
        assertThat(connect(selector, client(2))).isNotEqualTo(late);
    }

    @Test
    void aConnectionShortlyAfterAnotherStillStartsTheTimeoutAnew() {
        BackendSelector selector = fixture.web(clientIp(3), endpoints);
        Endpoint pinned = connect(selector, CLIENT);

        time.advance(Duration.ofMillis(900));
        connect(selector, CLIENT);

        time.advance(Duration.ofMillis(2_900));
        assertThat(connect(selector, CLIENT)).isEqualTo(pinned);
    }

    @Test
    void aClientThatKeepsConnectingKeepsItsPin() {
        BackendSelector selector = fixture.web(clientIp(1), endpoints);
        Endpoint pinned = connect(selector, CLIENT);

        for (int i = 0; i < 200; i++) {
            time.advance(Duration.ofMillis(500));
            assertThat(connect(selector, CLIENT)).isEqualTo(pinned);
        }
    }

    @Test
    void theLongestTimeoutCountsInFull() {
        BackendSelector selector = fixture.web(clientIp(86_400), endpoints);
        Endpoint pinned = connect(selector, CLIENT);

        time.advance(Duration.ofSeconds(86_399));
        assertThat(connect(selector, CLIENT)).isEqualTo(pinned);

        time.advance(Duration.ofSeconds(86_400));
        assertThat(connect(selector, CLIENT)).isNotEqualTo(pinned);
    }

    @Test
    void aLongerTimeoutCountsForPinsThereAre() {
        Endpoint pinned = connect(fixture.web(clientIp(2), endpoints), CLIENT);

        BackendSelector longer = fixture.web(clientIp(600), endpoints);

        time.advance(Duration.ofSeconds(599));
        assertThat(connect(longer, CLIENT)).isEqualTo(pinned);
    }

    @Test
    void aShorterTimeoutCountsForPinsThereAre() {
        Endpoint pinned = connect(fixture.web(clientIp(600), endpoints), CLIENT);

        time.advance(Duration.ofSeconds(3));
        BackendSelector shorter = fixture.web(clientIp(2), endpoints);

        assertThat(connect(shorter, CLIENT)).isNotEqualTo(pinned);
    }

    @Test
    void aLongerTimeoutDoesNotReviveWhatHadExpired() {
        Endpoint pinned = connect(fixture.web(clientIp(2), endpoints), CLIENT);

        time.advance(Duration.ofMillis(2_100));
        BackendSelector longer = fixture.web(clientIp(600), endpoints);

        assertThat(connect(longer, CLIENT)).isNotEqualTo(pinned);
    }

    @Test
    void aTimeoutThatComesAfterTheEndpointsIsTakenOver() {
        connect(fixture.web(SessionAffinity.NONE, endpoints), CLIENT);
        BackendSelector selector = fixture.web(clientIp(2), endpoints);
        Endpoint pinned = connect(selector, CLIENT);

        time.advance(Duration.ofSeconds(3));

        assertThat(connect(selector, CLIENT)).isNotEqualTo(pinned);
    }

    @Test
    void expiredPinsAreRemovedWithoutAnyTraffic() {
        BackendSelector selector = fixture.web(clientIp(2), endpoints);
        for (int i = 0; i < 5_000; i++) {
            connect(selector, client(i));
        }
        assertThat(fixture.pins()).isEqualTo(5_000);

        time.advance(Duration.ofSeconds(5));

        await().until(
                        () -> {
                            time.fireDue();
                            return fixture.pins() == 0;
                        });
    }

    @Test
    void afterAShorterTimeoutExpiredPinsAreRemovedWithoutAnyTraffic() {
        BackendSelector selector = fixture.web(clientIp(10_800), endpoints);
        for (int i = 0; i < 100; i++) {
            connect(selector, client(i));
        }
        fixture.web(clientIp(2), endpoints);

        time.advance(Duration.ofSeconds(5));

        await().until(
                        () -> {
                            time.fireDue();
                            return fixture.pins() == 0;
                        });
    }

    @Test
    void theSystemsSchedulerEmptiesAnIdleTable() {
        AffinityTable table =
                new AffinityTable(
                        10_000,
                        Duration.ofSeconds(1),
                        Ticker.systemTicker(),
                        Scheduler.systemScheduler());
        for (int i = 0; i < 5_000; i++) {
            table.pin(client(i), endpoint -> true, Set.of(), () -> Optional.of(endpoints.get(0)));
        }
        assertThat(table.size()).isPositive();

        await().until(() -> table.size() == 0);
    }
}
