package dev.sluice.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.ServicePortName;
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
}
