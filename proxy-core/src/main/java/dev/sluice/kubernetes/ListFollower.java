package dev.sluice.kubernetes;

import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * What all that follows lists of one API server has in common.
 *
 * <p>Immutable; any thread.
 *
 * @param proxyName of this proxy, which decides which Services are listed
 * @param executor for requests that are waited for
 * @param nanoTime a monotonic clock
 * @param onChange called whenever an object may be another; returns at once
 */
record ListFollower(
        ApiServer server,
        Optional<String> proxyName,
        RandomGenerator random,
        Executor executor,
        LongSupplier nanoTime,
        Runnable onChange) {

    <T extends HasMetadata> FollowedList<T> follow(ListedResource<T> resource) {
        return new FollowedList<>(this, resource);
    }

    <T> Inquiry<T> inquiry(Supplier<T> request) {
        return new Inquiry<>(request, executor, backoff(), nanoTime);
    }

    Backoff backoff() {
        return new Backoff(random, server.pace().shortestPause(), server.pace().longestPause());
    }
}
