package dev.sluice.control;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A control thread without a thread: tasks run, in the order of their times, when the test moves
 * the clock to them.
 *
 * <p>Threads: the test's only.
 */
final class FakeControl extends AbstractExecutorService implements ScheduledExecutorService {
    private final PriorityQueue<Task> tasks =
            new PriorityQueue<>(
                    Comparator.comparingLong((Task task) -> task.at)
                            .thenComparingLong(task -> task.number));
    // Not zero, and about to overflow: a clock of nanoseconds has no origin.
    private long now = Long.MAX_VALUE - Duration.ofSeconds(30).toNanos();
    private final long origin = now;
    private long number;
    private boolean shutdown;

    long nanoTime() {
        return now;
    }

    /** Milliseconds since the clock was made. */
    long millis() {
        return TimeUnit.NANOSECONDS.toMillis(now - origin);
    }

    /** The same as a wall clock tells it. */
    Instant instant() {
        return Instant.EPOCH.plusNanos(now - origin);
    }

    /** Runs what is due now. */
    void settle() {
        advance(Duration.ZERO);
    }

    void advance(Duration duration) {
        long end = now - origin + duration.toNanos();
        for (Task task = tasks.peek(); task != null && task.at <= end; task = tasks.peek()) {
            tasks.remove(task);
            now = origin + task.at;
            task.run();
        }
        now = origin + end;
    }

    @Override
    public void execute(Runnable command) {
        add(new Task(command, now - origin, number++));
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
        Task task = new Task(command, now - origin + unit.toNanos(delay), number++);
        add(task);
        return task;
    }

    private void add(Task task) {
        if (!shutdown) {
            tasks.add(task);
        }
    }

    @Override
    public List<Runnable> shutdownNow() {
        shutdown = true;
        tasks.clear();
        return List.of();
    }

    @Override
    public void shutdown() {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean isShutdown() {
        return shutdown;
    }

    @Override
    public boolean isTerminated() {
        return shutdown;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return shutdown;
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(
            Runnable command, long initialDelay, long period, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(
            Runnable command, long initialDelay, long delay, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    private final class Task extends FutureTask<@Nullable Object>
            implements ScheduledFuture<@Nullable Object> {
        private final long at;
        private final long number;

        Task(Runnable command, long at, long number) {
            super(command, null);
            this.at = at;
            this.number = number;
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            tasks.remove(this);
            return super.cancel(mayInterruptIfRunning);
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(at - (now - origin), TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(
                    getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
        }
    }
}
