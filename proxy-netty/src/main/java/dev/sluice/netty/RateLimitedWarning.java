package dev.sluice.netty;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;

/**
 * A warning that a flood of its cause turns into one line each 10 s.
 *
 * <p>Threads: any.
 */
final class RateLimitedWarning {
    private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Logger log;
    private final LongSupplier nanoTime;
    private final AtomicLong last;

    RateLimitedWarning(Logger log) {
        this(log, System::nanoTime);
    }

    /**
     * @param nanoTime a clock that goes like {@link System#nanoTime}
     */
    RateLimitedWarning(Logger log, LongSupplier nanoTime) {
        this.log = log;
        this.nanoTime = nanoTime;
        this.last = new AtomicLong(nanoTime.getAsLong() - INTERVAL_NANOS);
    }

    void warn(String format, Object argument) {
        long now = nanoTime.getAsLong();
        long before = last.get();
        if (now - before >= INTERVAL_NANOS && last.compareAndSet(before, now)) {
            log.warn(format, argument);
        }
    }
}
