package dev.sluice.kubernetes;

import dev.sluice.control.WatchStatus;
import dev.sluice.kubernetes.transport.ApiFailures;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows endpoints in the best form that the API server has, of all Services in the same one, so
 * that no Service has its endpoints from two. When the server turns out not to have that form any
 * more, or yet, it is asked again; the form before is used until the next one is complete.
 *
 * <p>Threads: {@link #tick} and {@link #close} one at a time; all others any.
 */
final class EndpointDiscovery {
    private static final Logger log = LoggerFactory.getLogger(EndpointDiscovery.class);

    private final ListFollower follower;
    private final Backoff backoff;
    private final Deque<FollowedEndpoints> followed = new ArrayDeque<>(2);
    private long nextAttempt;
    private final AtomicLong failures = new AtomicLong();
    private volatile @Nullable String failure;
    private volatile @Nullable FollowedEndpoints inUse;
    private volatile @Nullable FollowedEndpoints newest;

    EndpointDiscovery(ListFollower follower) {
        this.follower = follower;
        this.backoff = follower.backoff();
        this.nextAttempt = follower.nanoTime().getAsLong();
    }

    /** The endpoints; empty until a list of them is complete. */
    Optional<FollowedEndpoints> endpoints() {
        return Optional.ofNullable(inUse);
    }

    WatchStatus status() {
        FollowedEndpoints shown = newest;
        if (shown == null) {
            return new WatchStatus(
                    ListedResource.SLICES.name(),
                    Optional.empty(),
                    0,
                    failures.get(),
                    Optional.ofNullable(failure));
        }
        return shown.status();
    }

    void tick() {
        FollowedEndpoints last = followed.peekLast();
        if (last == null || last.list().isAbsent()) {
            discover(last);
        }
        followed.forEach(each -> each.list().tick());
        FollowedEndpoints latest = followed.peekLast();
        if (latest != null && latest != inUse && latest.list().isComplete()) {
            inUse = latest;
            backoff.reset();
            while (followed.size() > 1) {
                followed.removeFirst().list().close();
            }
            follower.onChange().run();
        }
    }

    void close() {
        followed.forEach(each -> each.list().close());
    }

    private void discover(@Nullable FollowedEndpoints last) {
        long now = follower.nanoTime().getAsLong();
        if (now - nextAttempt < 0) {
            return;
        }
        nextAttempt = now + backoff.next();
        try {
            EndpointApi api = EndpointApi.of(follower.server().client());
            failure = null;
            if (last == null || last.api() != api) {
                log.debug("endpoints are followed as {}", api);
                FollowedEndpoints next = FollowedEndpoints.of(api, follower);
                followed.addLast(next);
                newest = next;
            }
        } catch (KubernetesClientException e) {
            failures.incrementAndGet();
            String reason = ApiFailures.describe(e);
            if (!reason.equals(failure)) {
                failure = reason;
                log.warn(
                        "{} can't be asked how it lists endpoints, and that is tried again: {}",
                        follower.server().address(),
                        reason);
            }
        }
    }
}
