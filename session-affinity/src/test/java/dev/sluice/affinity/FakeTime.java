package dev.sluice.affinity;

import com.github.benmanes.caffeine.cache.Scheduler;
import com.github.benmanes.caffeine.cache.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * A clock that stands still until it is advanced, and a scheduler that goes by it.
 *
 * <p>Threads: any.
 */
final class FakeTime implements Ticker, Scheduler {
    private final List<Task> tasks = new ArrayList<>();
    private long now;

    @Override
    public synchronized long read() {
        return now;
    }

    @Override
    public synchronized Future<?> schedule(
            Executor executor, Runnable command, long delay, TimeUnit unit) {
        CompletableFuture<Void> fired = new CompletableFuture<>();
        tasks.add(new Task(now + unit.toNanos(delay), executor, command, fired));
        return fired;
    }

    /** Moves the clock on and fires what is due then. */
    synchronized void advance(Duration duration) {
        now += duration.toNanos();
        fireDue();
    }

    /** Fires what was scheduled for this moment, or for one before it, since the last advance. */
    synchronized void fireDue() {
        List<Task> due = tasks.stream().filter(task -> task.at() - now <= 0).toList();
        tasks.removeAll(due);
        for (Task task : due) {
            if (task.fired().complete(null)) {
                task.executor().execute(task.command());
            }
        }
    }

    private record Task(
            long at, Executor executor, Runnable command, CompletableFuture<Void> fired) {}
}
