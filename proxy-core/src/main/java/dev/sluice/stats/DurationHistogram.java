package dev.sluice.stats;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * How long something took, in buckets.
 *
 * <p>Threads: any; without a lock.
 */
public final class DurationHistogram {
    private final long[] boundNanos;

    /** One for each bound, and one for what is longer than the last. */
    private final AtomicLongArray counts;

    private final LongAdder sumNanos = new LongAdder();

    /**
     * Buckets each twice as wide as the one before.
     *
     * @param first upper bound of the first bucket, inclusive; more than zero
     * @param buckets number of bounds, 1 to 30
     */
    public DurationHistogram(Duration first, int buckets) {
        this(IntStream.range(0, buckets).mapToObj(i -> first.multipliedBy(1L << i)).toList());
    }

    /**
     * @param bounds upper bounds, inclusive, ascending
     */
    public DurationHistogram(List<Duration> bounds) {
        boundNanos = bounds.stream().mapToLong(Duration::toNanos).toArray();
        counts = new AtomicLongArray(boundNanos.length + 1);
    }

    /**
     * Adds one duration.
     *
     * @param nanos not negative
     */
    public void record(long nanos) {
        int bucket = 0;
        while (bucket < boundNanos.length && nanos > boundNanos[bucket]) {
            bucket++;
        }
        counts.incrementAndGet(bucket);
        sumNanos.add(nanos);
    }

    /** What has been recorded so far. */
    public Snapshot snapshot() {
        return new Snapshot(
                LongStream.of(boundNanos).mapToObj(Duration::ofNanos).toList(),
                IntStream.range(0, counts.length()).mapToObj(counts::get).toList(),
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
