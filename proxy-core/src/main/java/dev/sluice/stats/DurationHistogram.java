package dev.sluice.stats;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;

/**
 * How long something took, in buckets each twice as wide as the one before.
 *
 * <p>Threads: any; without a lock.
 */
public final class DurationHistogram {
    private final long firstNanos;

    /** One for each bound, and one for what is longer than the last. */
    private final AtomicLongArray counts;

    private final LongAdder sumNanos = new LongAdder();

    /**
     * @param first upper bound of the first bucket, inclusive; more than zero
     * @param buckets number of bounds, 1 to 30
     */
    public DurationHistogram(Duration first, int buckets) {
        firstNanos = first.toNanos();
        counts = new AtomicLongArray(buckets + 1);
    }

    /**
     * Adds one duration.
     *
     * @param nanos not negative
     */
    public void record(long nanos) {
        int bucket = 0;
        while (bucket < counts.length() - 1 && nanos > firstNanos << bucket) {
            bucket++;
        }
        counts.incrementAndGet(bucket);
        sumNanos.add(nanos);
    }

    /** What has been recorded so far. */
    public Snapshot snapshot() {
        int bounds = counts.length() - 1;
        return new Snapshot(
                IntStream.range(0, bounds)
                        .mapToObj(i -> Duration.ofNanos(firstNanos << i))
                        .toList(),
                IntStream.rangeClosed(0, bounds).mapToObj(counts::get).toList(),
                Duration.ofNanos(sumNanos.sum()));
    }

    /**
     * The state of a histogram.
     *
     * <p>Immutable; any thread.
     *
     * @param bounds upper bounds, inclusive, ascending
     * @param counts how many durations are in each bucket alone, and, as the last, above all bounds
     * @param sum of all durations
     */
    public record Snapshot(List<Duration> bounds, List<Long> counts, Duration sum) {}
}
