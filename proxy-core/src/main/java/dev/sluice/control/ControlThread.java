package dev.sluice.control;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;

/**
 * The thread of the control path, {@code sluice-control}.
 *
 * <p>Threads: stateless; any thread.
 */
final class ControlThread {
    private ControlThread() {}

    /** A new one, which runs one task after another until it is shut down. */
    static ScheduledExecutorService start() {
        ScheduledThreadPoolExecutor executor =
                new ScheduledThreadPoolExecutor(
                        1,
                        task -> {
                            Thread thread = new Thread(task, "sluice-control");
                            thread.setDaemon(true);
                            return thread;
                        },
                        // A wake or a wait that comes after the end has nothing to do any more.
                        new ThreadPoolExecutor.DiscardPolicy());
        executor.setRemoveOnCancelPolicy(true);
        return executor;
    }
}
