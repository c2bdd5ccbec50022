package dev.sluice.kubernetes;

import dev.sluice.control.WatchStatus;
import dev.sluice.kubernetes.transport.ApiFailures;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows endpoints in the best form that the API server has, of all Services in the same one, so
 * that no Service has its endpoints from two. The server is asked again when it turns out not to
 * have that form any more, and from time to time as long as it has no better one; the form before
 * is used until the next one is complete.
 *
 * <p>Threads: {@link #tick} and {@link #close} one at a time; all others any.
 */
final class EndpointDiscovery {
    private static final Logger log = LoggerFactory.getLogger(EndpointDiscovery.class);

    private final ListFollower follower;
    private final Inquiry<EndpointApi> best;
    private final AtomicLong failures = new AtomicLong();
    private volatile @Nullable String failure;
    private volatile @Nullable FollowedEndpoints inUse;

    /** Not complete yet; replaces the one in use when it is. */
    private volatile @Nullable FollowedEndpoints next;

    EndpointDiscovery(ListFollower follower) {
        this.follower = follower;
        this.best = follower.inquiry(() -> EndpointApi.of(follower.server().client()));
    }

    /** The endpoints; empty until a list of them is complete. */
    Optional<FollowedEndpoints> endpoints() {
        return Optional.ofNullable(inUse);
    }

    WatchStatus status() {
        FollowedEndpoints shown = inUse == null ? next : inUse;
        return shown == null
                ? new WatchStatus(
                        ListedResource.SLICES,
                        Optional.empty(),
                        0,
                        failures.get(),
                        Optional.ofNullable(failure))
                : shown.status();
    }

    /** How many objects were added, changed and deleted since their form is in use. */
    long changes() {
        FollowedEndpoints counted = inUse;
        return counted == null ? 0 : counted.list().changes();
    }

    void tick() {
        if (isInquiryDue()) {
            best.look(this::failed).ifPresent(this::found);
        }
        FollowedEndpoints coming = next;
        if (inUse != null) {
            inUse.list().tick();
        }
        if (coming != null) {
            coming.list().tick();
            if (coming.list().isComplete()) {
                use(coming);
            }
        }
    }

    private boolean isInquiryDue() {
        FollowedEndpoints latest = next == null ? inUse : next;
        return latest == null || latest.list().isAbsent() || latest.api() != EndpointApi.SLICES;
    }

    private void found(EndpointApi api) {
        failure = null;
        if (inUse != null && inUse.api() == api) {
            replaceNext(null);
        } else if (next == null || next.api() != api) {
            log.debug("endpoints are followed as {}", api);
            replaceNext(FollowedEndpoints.of(api, follower));
        }
    }

    private void replaceNext(@Nullable FollowedEndpoints other) {
        if (next != null) {
            next.list().close();
        }
        next = other;
    }

    private void use(FollowedEndpoints complete) {
        FollowedEndpoints before = inUse;
        inUse = complete;
        next = null;
        if (complete.api() == EndpointApi.SLICES) {
            best.succeeded();
        }
        if (before != null) {
            before.list().close();
        }
        follower.onChange().run();
    }

    private void failed(Throwable thrown) {
        failures.incrementAndGet();
        String reason = ApiFailures.describe(thrown);
        if (!reason.equals(failure)) {
            failure = reason;
            log.warn(
                    "{} can't be asked how it lists endpoints, and that is tried again: {}",
                    follower.server().address(),
                    reason);
        }
    }

    void close() {
        replaceNext(null);
        if (inUse != null) {
            inUse.list().close();
        }
    }
}
