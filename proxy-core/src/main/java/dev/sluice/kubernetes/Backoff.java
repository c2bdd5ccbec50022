package dev.sluice.kubernetes;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Pauses between attempts: each up to twice as long as the one before, and none the same on two
 * nodes, so that a server that comes back is not asked by all of them at once.
 *
 * <p>Threads: one at a time.
 */
final class Backoff {
    private static final int MOST_DOUBLINGS = 20;

    private final RandomGenerator random;
    private final Duration least;
    private final Duration most;
    private int attempts;

    Backoff(RandomGenerator random, Duration least, Duration most) {
        this.random = random;
        this.least = least;
        this.most = most;
    }

    /** Time until the next attempt: from half of the full pause to all of it, in nanoseconds. */
    long next() {
        long full = most.toNanos();
        if (attempts < MOST_DOUBLINGS) {
            full = Math.min(full, least.toNanos() << attempts);
            attempts++;
        }
        return full / 2 + random.nextLong(full / 2 + 1);
    }

    /** An attempt came through: the next pause is the shortest again. */
    void reset() {
        attempts = 0;
    }
}
