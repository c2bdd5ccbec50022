package dev.sluice.redirect;

import dev.sluice.model.FrontEnd;
import dev.sluice.model.IpAddress;
import dev.sluice.model.IpFamily;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Set;

/**
 * Keeps the flows that the kernel tracks in step with the rules. A look that fails is owed: the
 * next run finds the rules as they shall be, but not the flows.
 *
 * <p>Threads: control thread only.
 */
final class FollowingFlows {
    private final ConnectionTracking tracking;
    private final RuleCounters counters;

    /** Families whose flows are known to follow the rules that are in force. */
    private final Set<IpFamily> done = EnumSet.noneOf(IpFamily.class);

    /** What had rules or got them, and whose flows could not be looked at since. */
    private final Set<FrontEnd> owed = new HashSet<>();

    private final Set<IpAddress> owedAddresses = new HashSet<>();

    FollowingFlows(ConnectionTracking tracking, RuleCounters counters) {
        this.tracking = tracking;
        this.counters = counters;
    }

    boolean isDone(IpFamily family) {
        return done.contains(family);
    }

    /**
     * @param now the rules that are in force
     * @param before front ends of the rules that were
     * @param closedBefore addresses whose other ports were refused
     */
    void follow(IpFamily family, NatTargets now, Set<FrontEnd> before, Set<IpAddress> closedBefore)
            throws RedirectException {
        Set<FrontEnd> again = new HashSet<>(owed);
        again.removeIf(frontEnd -> frontEnd.address().family() != family);
        Set<FrontEnd> gone = new HashSet<>(before);
        gone.addAll(again);
        gone.removeAll(now.redirects().keySet());
        Set<FrontEnd> added = new HashSet<>(now.redirects().keySet());
        added.removeIf(frontEnd -> before.contains(frontEnd) && !again.contains(frontEnd));
        Set<IpAddress> opened = new HashSet<>(owedAddresses);
        opened.removeIf(address -> address.family() != family);
        opened.addAll(closedBefore);
        now.closed().ifPresent(closed -> opened.removeAll(closed.addresses()));

        done.remove(family);
        owed.addAll(gone);
        owed.addAll(added);
        owedAddresses.addAll(opened);
        long begin = System.nanoTime();
        int deleted =
                tracking.follow(family, now, new ConnectionTracking.Gone(gone, opened), added);
        counters.tracked(family, System.nanoTime() - begin, deleted);
        owed.removeIf(frontEnd -> frontEnd.address().family() == family);
        owedAddresses.removeIf(address -> address.family() == family);
        done.add(family);
    }
}
