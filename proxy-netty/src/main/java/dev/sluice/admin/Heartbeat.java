package dev.sluice.admin;

import dev.sluice.admin.HealthReport.Check;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Whether a thread still takes its turns: a task is given to it, and the next one only when that is
 * done, so that a thread which hangs is not buried in tasks.
 *
 * <p>Threads: the admin loop only.
 */
final class Heartbeat {
    private static final Duration WORTH_A_REMARK = Duration.ofSeconds(1);

    private final String name;
    private final Duration limit;
    private final Supplier<? extends CompletableFuture<?>> nextTurn;
    private final LongSupplier nanoTime;
    private @Nullable CompletableFuture<?> turn;
    private long since;

    /**
     * @param name of the thread
     * @param limit how long it may be busy
     * @param nextTurn completes when the thread takes its next turn, and fails if it has ended
     * @param nanoTime a clock that goes like {@link System#nanoTime}
     */
    Heartbeat(
            String name,
            Duration limit,
            Supplier<? extends CompletableFuture<?>> nextTurn,
            LongSupplier nanoTime) {
        this.name = name;
        this.limit = limit;
        this.nextTurn = nextTurn;
        this.nanoTime = nanoTime;
    }

    /** Gives the thread a task, unless it has one that is still to be done. */
    CompletableFuture<?> begin() {
        CompletableFuture<?> current = turn;
        if (current == null || current.isDone()) {
            current = nextTurn.get();
            turn = current;
            since = nanoTime.getAsLong();
        }
        return current;
    }

    /** What has become of the task. */
    Check verdict() {
        CompletableFuture<?> current = begin();
        Duration busy = Duration.ofNanos(nanoTime.getAsLong() - since);
        if (current.isCompletedExceptionally()) {
            return Check.failed(name, "it has ended");
        }
        if (current.isDone()) {
            return Check.ok(name);
        }
        if (busy.compareTo(limit) < 0) {
            return busy.compareTo(WORTH_A_REMARK) < 0
                    ? Check.ok(name)
                    : Check.ok(name, "busy for " + busy.toSeconds() + " s");
        }
        // A task may have been dropped by a thread that has ended in good order since.
        return nextTurn.get().isDone()
                ? Check.ok(name)
                : Check.failed(name, "no turn for " + busy.toMillis() + " ms");
    }
}
