package dev.sluice.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.ServicePortName;
import dev.sluice.stats.DurationHistogram;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import org.junit.jupiter.api.Test;

class SyncTimesTest {
    private static final SortedMap<ServicePortName, String> NO_FAILURES =
            Collections.emptySortedMap();
    private static final ReconcileStatus OK =
            new ReconcileStatus(
                    true,
                    List.of(),
                    NO_FAILURES,
                    Collections.emptySortedMap(),
                    Optional.empty(),
                    true,
                    Map.of());
    private static final ReconcileStatus FAILED =
            new ReconcileStatus(
                    true,
                    List.of(),
                    NO_FAILURES,
                    Collections.emptySortedMap(),
                    Optional.of("no lock"),
                    false,
                    Map.of());

    private Instant now = Instant.ofEpochSecond(1);
    private final SyncTimes syncs = new SyncTimes(() -> now);

    @Test
    void nothingHasHappenedAtFirst() {
        assertThat(syncs.lastQueued()).isEmpty();
        assertThat(syncs.lastSuccess()).isEmpty();
        assertThat(syncs.failures()).isZero();
        assertThat(syncs.durations().counts()).containsOnly(0L).hasSize(16);
    }

    @Test
    void aFailedRunLeavesTheTimeOfTheLastSuccess() {
        syncs.queued();
        now = Instant.ofEpochSecond(2);
        syncs.ran(Duration.ofMillis(1).toNanos(), OK);
        now = Instant.ofEpochSecond(3);
        syncs.ran(Duration.ofSeconds(60).toNanos(), FAILED);

        assertThat(syncs.lastQueued()).contains(Instant.ofEpochSecond(1));
        assertThat(syncs.lastSuccess()).contains(Instant.ofEpochSecond(2));
        assertThat(syncs.failures()).isEqualTo(1);
        assertThat(syncs.durations().sum()).isEqualTo(Duration.ofMillis(60_001));
    }

    @Test
    void aTriggerIsTimedUntilItsRulesAreInForceAndOnlyOnce() {
        now = Instant.ofEpochSecond(100);
        syncs.begins(ChangeCounts.NONE);
        syncs.triggered(List.of(Instant.ofEpochMilli(99_700), Instant.ofEpochSecond(98)));
        assertThat(syncs.programmingTimes().counts()).containsOnly(0L);

        now = Instant.ofEpochSecond(103);
        syncs.begins(ChangeCounts.NONE);
        syncs.triggered(List.of());
        syncs.inForce();
        syncs.inForce();

        DurationHistogram.Snapshot times = syncs.programmingTimes();
        assertThat(times.sum()).isEqualTo(Duration.ofMillis(8_300));
        assertThat(countUpTo(times, Duration.ofSeconds(3))).isZero();
        assertThat(countUpTo(times, Duration.ofSeconds(4))).isEqualTo(1);
        assertThat(countUpTo(times, Duration.ofSeconds(5))).isEqualTo(2);
    }

    @Test
    void aTriggerFromTheFutureOfThisClockCountsAsNoTimeAtAll() {
        syncs.triggered(List.of(now.plusSeconds(5)));
        syncs.inForce();

        assertThat(syncs.programmingTimes().counts().get(0)).isEqualTo(1);
        assertThat(syncs.programmingTimes().sum()).isZero();
    }

    @Test
    void theBucketsOfProgrammingTimesAreThoseOfKubeProxy() {
        List<Duration> bounds = syncs.programmingTimes().bounds();
        assertThat(bounds).hasSize(2 + 59 + 12 + 7).isSorted().doesNotHaveDuplicates();
        assertThat(bounds)
                .startsWith(Duration.ofMillis(250), Duration.ofMillis(500), Duration.ofSeconds(1))
                .contains(
                        Duration.ofSeconds(59),
                        Duration.ofSeconds(60),
                        Duration.ofSeconds(115),
                        Duration.ofSeconds(120))
                .endsWith(Duration.ofSeconds(270), Duration.ofSeconds(300));
    }

    @Test
    void whatIsAskedForDuringARunIsUnappliedAfterIt() {
        syncs.queued();
        syncs.begins(new ChangeCounts(3, 5));
        now = Instant.ofEpochSecond(2);
        syncs.queued();
        assertThat(syncs.oldestUnapplied()).contains(Instant.ofEpochSecond(1));
        assertThat(syncs.appliedChanges()).isEqualTo(ChangeCounts.NONE);

        syncs.inForce();

        assertThat(syncs.oldestUnapplied()).contains(Instant.ofEpochSecond(2));
        assertThat(syncs.appliedChanges()).isEqualTo(new ChangeCounts(3, 5));
    }

    private static long countUpTo(DurationHistogram.Snapshot times, Duration bound) {
        return times.counts().stream()
                .limit(times.bounds().indexOf(bound) + 1L)
                .mapToLong(Long::longValue)
                .sum();
    }
}
