package dev.sluice.control;

import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The one run that is still to come, at the earliest of all times asked for.
 *
 * <p>Threads: control thread only.
 */
final class NextRun {
    private final ScheduledExecutorService control;
    private final LongSupplier nanoTime;
    private final Runnable run;
    private @Nullable Future<?> next;
    private long nextAt;

    /**
     * @param run done on {@code control}
     */
    NextRun(ScheduledExecutorService control, LongSupplier nanoTime, Runnable run) {
        this.control = control;
        this.nanoTime = nanoTime;
        this.run = run;
    }

    /** Sees to it that a run begins at this time at the latest, or at once if it is past. */
    void by(long at) {
        if (next != null) {
            if (nextAt - at <= 0) {
                return;
            }
            next.cancel(false);
        }
        nextAt = at;
        next =
                control.schedule(
                        this::begin, Math.max(0, at - nanoTime.getAsLong()), TimeUnit.NANOSECONDS);
    }

    private void begin() {
        next = null;
        run.run();
    }
}
