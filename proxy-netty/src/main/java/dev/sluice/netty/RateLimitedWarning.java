package dev.sluice.netty;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;

/**
 * A warning that a flood of its cause turns into one line each 10 s.
 *
 * <p>Threads: any.
 */
final class RateLimitedWarning {
    private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Logger log;
    private final AtomicLong last = new AtomicLong(System.nanoTime() - INTERVAL_NANOS);

    RateLimitedWarning(Logger log) {
        this.log = log;
    }

    void warn(String format, Object argument) {
        long now = System.nanoTime();
        long before = last.get();
        if (now - before >= INTERVAL_NANOS && last.compareAndSet(before, now)) {
            log.warn(format, argument);
        }
    }
}
