package dev.sluice.kubernetes;

import io.fabric8.kubernetes.api.model.HasMetadata;
import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * Follows lists of one API server, all at the same pace.
 *
 * <p>Immutable; any thread.
 *
 * @param nanoTime a monotonic clock
 * @param onChange called whenever an object may be another; returns at once
 */
record ListFollower(
        ApiServer server, RandomGenerator random, LongSupplier nanoTime, Runnable onChange) {
    private static final Duration SHORTEST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

    <T extends HasMetadata> FollowedList<T> follow(ListedResource<T> resource) {
        return new FollowedList<>(server, resource, backoff(), nanoTime, onChange);
    }

    Backoff backoff() {
        return new Backoff(random, SHORTEST_PAUSE, LONGEST_PAUSE);
    }
}
