package dev.sluice.netty.contract;

import java.time.Duration;
import java.util.List;

/**
 * The timers of a proxy, named as in {@link dev.sluice.config.ProxyConfig}.
 *
 * <p>Immutable; any thread.
 */
record Tuning(
        List<Duration> tryTimeouts,
        Duration totalTimeout,
        Duration retryPause,
        Duration halfClosedTimeout,
        Duration unackedTimeout,
        Duration reapInterval) {
    /** What the product runs with by default. */
    static final Tuning DEFAULT =
            new Tuning(
                    List.of(
                            Duration.ofMillis(250),
                            Duration.ofMillis(500),
                            Duration.ofSeconds(1),
                            Duration.ofSeconds(2)),
                    Duration.ofSeconds(4),
                    Duration.ofMillis(100),
                    Duration.ofMinutes(10),
                    Duration.ofMinutes(1),
                    Duration.ofSeconds(30));

    Tuning {
        tryTimeouts = List.copyOf(tryTimeouts);
    }

    /** Dials with these limits. */
    Tuning withDial(List<Duration> tries, Duration total, Duration pause) {
        return new Tuning(tries, total, pause, halfClosedTimeout, unackedTimeout, reapInterval);
    }

    /** Looks for half-closed connections without a byte for {@code limit}, often enough. */
    Tuning withHalfClosedTimeout(Duration limit) {
        return new Tuning(
                tryTimeouts, totalTimeout, retryPause, limit, unackedTimeout, limit.dividedBy(5));
    }

    /** Ends connections whose peer acknowledges nothing for {@code limit}. */
    Tuning withUnackedTimeout(Duration limit) {
        return new Tuning(
                tryTimeouts,
                totalTimeout,
                retryPause,
                halfClosedTimeout,
                limit,
                limit.dividedBy(5));
    }
}
