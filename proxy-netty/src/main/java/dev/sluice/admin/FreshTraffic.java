package dev.sluice.admin;

import dev.sluice.netty.Traffic;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Counters that have the bytes of live connections, as far as event loops add them in time: what
 * hangs must not keep the rest from being seen.
 *
 * <p>Threads: the admin loop only.
 */
final class FreshTraffic {
    private static final Duration PATIENCE = Duration.ofMillis(250);

    private final Traffic traffic;
    private final Executor adminLoop;

    FreshTraffic(Traffic traffic, Executor adminLoop) {
        this.traffic = traffic;
        this.adminLoop = adminLoop;
    }

    Traffic traffic() {
        return traffic;
    }

    /** A reply made on the admin loop once the bytes are counted. */
    CompletionStage<Reply> reply(Supplier<Reply> reply) {
        return traffic.countBytes()
                .handle((done, failure) -> true)
                .completeOnTimeout(true, PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
                .thenApplyAsync(counted -> reply.get(), adminLoop);
    }
}
