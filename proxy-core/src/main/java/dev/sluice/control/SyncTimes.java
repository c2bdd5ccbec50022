package dev.sluice.control;

import dev.sluice.stats.DurationHistogram;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * When the {@link Reconciler} was asked to run, when it succeeded, how long runs took, and how old
 * the oldest change is that is not in force yet.
 *
 * <p>Threads: public methods any thread; the others the control thread, but for {@link #queued}.
 */
public final class SyncTimes {
    /** A node that applies nothing is not to fill the memory: more than a run ever brings. */
    private static final int MOST_TRIGGERS = 100_000;

    /** The buckets of kube-proxy's {@code sync_proxy_rules_duration_seconds}: 1 ms to 16 s. */
    private final DurationHistogram durations = new DurationHistogram(Duration.ofMillis(1), 15);

    private final DurationHistogram programming = new DurationHistogram(programmingBuckets());
    private final InstantSource clock;
    private final AtomicLong failures = new AtomicLong();
    private final List<Instant> triggers = new ArrayList<>();

    /** The first one asked for since the last run began. */
    private final AtomicReference<@Nullable Instant> waiting = new AtomicReference<>();

    private ChangeCounts tried = ChangeCounts.NONE;
    private volatile @Nullable Instant unapplied;
    private volatile ChangeCounts applied = ChangeCounts.NONE;
    private volatile @Nullable Instant lastQueued;
    private volatile @Nullable Instant lastApplied;
    private volatile @Nullable Instant lastSuccess;

    /**
     * @param clock wall clock, the one that triggers are dated by
     */
    public SyncTimes(InstantSource clock) {
        this.clock = clock;
    }

    /**
     * The buckets of kube-proxy's {@code network_programming_duration_seconds}: 0.25 s to 300 s.
     */
    private static List<Duration> programmingBuckets() {
        return Stream.of(
                        IntStream.of(250, 500),
                        IntStream.rangeClosed(1, 59).map(i -> i * 1_000),
                        IntStream.rangeClosed(12, 23).map(i -> i * 5_000),
                        IntStream.rangeClosed(4, 10).map(i -> i * 30_000))
                .flatMap(IntStream::boxed)
                .map(Duration::ofMillis)
                .toList();
    }

    /** Any thread. */
    void queued() {
        Instant now = clock.instant();
        lastQueued = now;
        waiting.compareAndSet(null, now);
    }

    /**
     * A run begins. What is asked for from now on is not its matter.
     *
     * @param seen changes that the source has seen so far
     */
    void begins(ChangeCounts seen) {
        Instant first = waiting.getAndSet(null);
        tried = seen;
        if (unapplied == null) {
            // Nobody asks for a run that only looks at the rules; it may fail all the same.
            unapplied = first == null ? clock.instant() : first;
        }
    }

    /** The run that goes on brings changes which were made then. */
    void triggered(List<Instant> times) {
        times.stream().limit(MOST_TRIGGERS - triggers.size()).forEach(triggers::add);
    }

    /** The kernel holds the rules of the run that goes on. */
    void inForce() {
        Instant now = clock.instant();
        for (Instant trigger : triggers) {
            // Another machine's clock has dated it, and may be ahead of this one's.
            programming.record(Math.max(0, Duration.between(trigger, now).toNanos()));
        }
        triggers.clear();
        applied = tried;
        lastApplied = now;
        unapplied = null;
    }

    /**
     * Notes a run that had something to apply.
     *
     * @param nanos how long it took
     */
    void ran(long nanos, ReconcileStatus result) {
        durations.record(nanos);
        if (result.ok()) {
            lastSuccess = clock.instant();
        } else {
            failures.incrementAndGet();
        }
    }

    /** When somebody last asked for a run. */
    public Optional<Instant> lastQueued() {
        return Optional.ofNullable(lastQueued);
    }

    /**
     * When the kernel last held the rules of all that the source gave; a Service port that fails
     * alone does not count.
     */
    public Optional<Instant> lastApplied() {
        return Optional.ofNullable(lastApplied);
    }

    /** When the oldest change was asked for that is not in force yet; empty if all are. */
    public Optional<Instant> oldestUnapplied() {
        Instant oldest = unapplied;
        return Optional.ofNullable(oldest == null ? waiting.get() : oldest);
    }

    /** When all that the source gave was last applied. */
    public Optional<Instant> lastSuccess() {
        return Optional.ofNullable(lastSuccess);
    }

    /** Runs that left something which could not be applied. */
    public long failures() {
        return failures.get();
    }

    /** How many of the changes that the source has seen are in force. */
    public ChangeCounts appliedChanges() {
        return applied;
    }

    /** How long runs took, the failed ones included. */
    public DurationHistogram.Snapshot durations() {
        return durations.snapshot();
    }

    /**
     * Time from a change of endpoints, as the control plane dates it, until it was in force here.
     * Changes without such a date are not among them.
     */
    public DurationHistogram.Snapshot programmingTimes() {
        return programming.snapshot();
    }
}
