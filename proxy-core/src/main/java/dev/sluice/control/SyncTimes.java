package dev.sluice.control;

import dev.sluice.stats.DurationHistogram;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * When the {@link Reconciler} was asked to run, when it succeeded, and how long runs took.
 *
 * <p>Threads: any.
 */
public final class SyncTimes {
    /** The buckets of kube-proxy's {@code sync_proxy_rules_duration_seconds}: 1 ms to 16 s. */
    private final DurationHistogram durations = new DurationHistogram(Duration.ofMillis(1), 15);

    private final InstantSource clock;
    private final AtomicLong failures = new AtomicLong();
    private volatile @Nullable Instant lastQueued;
    private volatile @Nullable Instant lastSuccess;

    SyncTimes(InstantSource clock) {
        this.clock = clock;
    }

    void queued() {
        lastQueued = clock.instant();
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

    /** When all that the source gave was last applied. */
    public Optional<Instant> lastSuccess() {
        return Optional.ofNullable(lastSuccess);
    }

    /** Runs that left something which could not be applied. */
    public long failures() {
        return failures.get();
    }

    /** How long runs took, the failed ones included. */
    public DurationHistogram.Snapshot durations() {
        return durations.snapshot();
    }
}
