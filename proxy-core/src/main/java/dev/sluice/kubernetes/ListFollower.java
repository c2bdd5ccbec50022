package dev.sluice.kubernetes;

import io.fabric8.kubernetes.api.model.HasMetadata;
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
    <T extends HasMetadata> FollowedList<T> follow(ListedResource<T> resource) {
        return new FollowedList<>(server, resource, backoff(), nanoTime, onChange);
    }

    Backoff backoff() {
        return new Backoff(random, server.pace().shortestPause(), server.pace().longestPause());
    }
}
