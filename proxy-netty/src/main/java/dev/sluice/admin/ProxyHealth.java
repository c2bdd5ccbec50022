package dev.sluice.admin;

import dev.sluice.control.SyncTimes;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Whether this node serves Services as it should, in the sense of kube-proxy: it is unhealthy while
 * the oldest change that is not in force yet was asked for longer than a minute ago. So it is
 * healthy while it starts and while nothing changes.
 *
 * <p>Threads: any.
 */
final class ProxyHealth {
    /** Twice kube-proxy's {@code syncPeriod} of 30 s. */
    static final Duration LIMIT = Duration.ofMinutes(1);

    private final SyncTimes syncs;
    private final Supplier<Optional<String>> nodeIneligible;
    private final InstantSource clock;
    private volatile boolean draining;

    /**
     * @param nodeIneligible why load balancers shall not use this node, if they shall not
     * @param clock the one of {@code syncs}
     */
    ProxyHealth(SyncTimes syncs, Supplier<Optional<String>> nodeIneligible, InstantSource clock) {
        this.syncs = syncs;
        this.nodeIneligible = nodeIneligible;
        this.clock = clock;
    }

    /** From now on load balancers shall send nothing new. */
    void drain() {
        draining = true;
    }

    /**
     * The health now.
     *
     * @param time now
     * @param lastApplied when the state was last in force
     * @param alive whether changes come into force in time
     * @param nodeEligible whether load balancers may use this node
     * @param draining whether the proxy is about to end
     */
    record Verdict(
            Instant time,
            Optional<Instant> lastApplied,
            boolean alive,
            boolean nodeEligible,
            boolean draining) {
        /** Whether Services are served, and will be for a while. */
        boolean healthy() {
            return alive && !draining;
        }

        /** Whether load balancers may send what any node may serve. */
        boolean eligible() {
            return healthy() && nodeEligible;
        }
    }

    /** Looks. */
    Verdict now() {
        // The oldest change first: one that is applied meanwhile is no reason to be unhealthy.
        Optional<Instant> oldest = syncs.oldestUnapplied();
        Optional<Instant> applied = syncs.lastApplied();
        Instant now = clock.instant();
        boolean late = oldest.map(asked -> asked.plus(LIMIT).isBefore(now)).orElse(false);
        return new Verdict(
                now, applied, applied.isEmpty() || !late, nodeIneligible.get().isEmpty(), draining);
    }
}
