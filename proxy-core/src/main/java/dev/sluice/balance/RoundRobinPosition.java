package dev.sluice.balance;

import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;

/**
 * Whose turn it is in one Service port and family; it outlives every change of the endpoints.
 *
 * <p>The counters are 64 bits wide, so they never wrap: a wrap would make the turn jump wherever
 * the number of endpoints is no power of two.
 *
 * <p>Threads: any number at once; lock-free.
 */
final class RoundRobinPosition {
    private final AtomicLong firstTries;
    private final AtomicLong retries;

    /** Starts anywhere, so that the proxies of many nodes don't all begin at the first pod. */
    RoundRobinPosition(RandomGenerator random) {
        firstTries = new AtomicLong(random.nextInt());
        retries = new AtomicLong(random.nextInt());
    }

    /** Index of the endpoint for a connection's first dial, out of {@code size} ≥ 1. */
    int nextFirstTry(int size) {
        return Math.floorMod(firstTries.getAndIncrement(), size);
    }

    /** Index of the endpoint for a later dial, out of the {@code size} ≥ 1 untried ones. */
    int nextRetry(int size) {
        return Math.floorMod(retries.getAndIncrement(), size);
    }
}
