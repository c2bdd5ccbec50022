package dev.sluice.admin;

import dev.sluice.control.Reconciler;
import dev.sluice.netty.Traffic;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * {@code /livez}: whether a restart would help. Each thread that the proxy can't do without is
 * given a task; nothing outside the process counts, the API server least of all.
 *
 * <p>Threads: the admin loop only.
 */
final class LivezPage implements Page {
    /** Within the second that a kubelet waits unless told otherwise ({@code timeoutSeconds}). */
    static final Duration LOOP_LIMIT = Duration.ofMillis(900);

    private final List<Heartbeat> loops;
    private final Heartbeat control;
    private final Executor adminLoop;

    LivezPage(List<Heartbeat> loops, Heartbeat control, Executor adminLoop) {
        this.loops = List.copyOf(loops);
        this.control = control;
        this.adminLoop = adminLoop;
    }

    /**
     * The page of a running proxy.
     *
     * @param controlLimit longer than the control thread may wait for the programs that write rules
     */
    static LivezPage of(
            Traffic traffic, Reconciler reconciler, Duration controlLimit, Executor adminLoop) {
        List<Heartbeat> loops = new ArrayList<>();
        for (int i = 0; i < traffic.eventLoops(); i++) {
            int index = i;
            loops.add(
                    new Heartbeat(
                            "event-loop-" + index,
                            LOOP_LIMIT,
                            () -> traffic.nextTurn(index),
                            System::nanoTime));
        }
        // How it ended is no matter of life: it ends when the proxy drains.
        Heartbeat control =
                new Heartbeat(
                        "control-thread",
                        controlLimit,
                        () -> reconciler.nextTurn().handle((done, failure) -> true),
                        System::nanoTime);
        return new LivezPage(loops, control, adminLoop);
    }

    @Override
    public CompletionStage<Reply> reply(PageRequest request) {
        request.allowOnly("verbose");
        // Not waited for: it may be busy for seconds.
        CompletableFuture<?> unused = control.begin();
        CompletableFuture<?>[] turns =
                loops.stream().map(Heartbeat::begin).toArray(CompletableFuture<?>[]::new);
        return CompletableFuture.allOf(turns)
                .thenApply(done -> true)
                .completeOnTimeout(false, LOOP_LIMIT.toMillis(), TimeUnit.MILLISECONDS)
                .handleAsync((done, failure) -> report().reply(request), adminLoop);
    }

    private HealthReport report() {
        return new HealthReport(
                "livez",
                Stream.concat(loops.stream(), Stream.of(control)).map(Heartbeat::verdict).toList());
    }
}
