package dev.sluice.control;

import dev.sluice.redirect.RedirectException;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes all rules when the proxy stops, and tries again while that fails, but not for ever: what
 * stays behind leads nowhere, and a program that holds the xtables lock mostly gives it back.
 *
 * <p>Threads: control thread only.
 */
final class RuleRemoval {
    private static final Logger log = LoggerFactory.getLogger(RuleRemoval.class);

    private final PacedRules rules;
    private final ScheduledExecutorService control;
    private final LongSupplier nanoTime;
    private final long pauseNanos;
    private final long lastTryAt;
    private final Consumer<@Nullable Throwable> whenDone;

    /**
     * @param pause from the end of a try to the next one
     * @param limit until when another try may begin, from now
     * @param whenDone given what the last try failed of; null if it did not
     */
    RuleRemoval(
            PacedRules rules,
            ScheduledExecutorService control,
            LongSupplier nanoTime,
            Duration pause,
            Duration limit,
            Consumer<@Nullable Throwable> whenDone) {
        this.rules = rules;
        this.control = control;
        this.nanoTime = nanoTime;
        this.pauseNanos = pause.toNanos();
        this.lastTryAt = nanoTime.getAsLong() + limit.toNanos();
        this.whenDone = whenDone;
    }

    /** The first try now, the others on the control thread. */
    void attempt() {
        Throwable failure = null;
        try {
            rules.removeAll();
        } catch (RedirectException e) {
            if (nanoTime.getAsLong() + pauseNanos - lastTryAt <= 0) {
                log.warn("Rules could not be removed, which is tried again: {}", e.getMessage());
                Future<?> unused =
                        control.schedule(this::attempt, pauseNanos, TimeUnit.NANOSECONDS);
                return;
            }
            failure = e;
        } catch (Throwable e) {
            failure = e;
        }
        whenDone.accept(failure);
    }
}
