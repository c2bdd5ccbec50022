package dev.sluice.stats;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class DurationHistogramTest {
    @Test
    void bucketsAreInclusiveAndEachTwiceAsWideAsTheOneBefore() {
        DurationHistogram histogram = new DurationHistogram(Duration.ofMillis(1), 3);
        for (long nanos : new long[] {0, 1_000_000, 1_000_001, 2_000_000, 4_000_000, 4_000_001}) {
            histogram.record(nanos);
        }

        assertThat(histogram.snapshot())
                .isEqualTo(
                        new DurationHistogram.Snapshot(
                                List.of(
                                        Duration.ofMillis(1),
                                        Duration.ofMillis(2),
                                        Duration.ofMillis(4)),
                                List.of(2L, 2L, 1L, 1L),
                                Duration.ofNanos(12_000_002)));
    }
}
