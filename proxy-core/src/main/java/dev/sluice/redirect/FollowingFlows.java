package dev.sluice.redirect;

import dev.sluice.model.FrontEnd;
import dev.sluice.model.IpFamily;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.Map;
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

    /**
     * What had rules or got them, and whose flows could not be looked at since. No entry: the flows
     * of the family were never looked at.
     */
    private final Map<IpFamily, LedAway> owed = new EnumMap<>(IpFamily.class);

    FollowingFlows(ConnectionTracking tracking, RuleCounters counters) {
        this.tracking = tracking;
        this.counters = counters;
    }

    /** Whether the flows of a family are known to follow the rules that are in force. */
    boolean isDone(IpFamily family) {
        return LedAway.NONE.equals(owed.get(family));
    }

    /**
     * @param now the rules of the family that are in force
     * @param before those that were
     */
    void follow(IpFamily family, NatTargets now, LedAway before) throws RedirectException {
        LedAway again = owed.getOrDefault(family, LedAway.NONE);
        LedAway led = now.led();
        LedAway gone = before.and(again).without(led);
        Set<FrontEnd> added = new HashSet<>(led.frontEnds());
        added.removeIf(
                frontEnd ->
                        before.frontEnds().contains(frontEnd)
                                && !again.frontEnds().contains(frontEnd));

        owed.put(family, again.and(gone).and(new LedAway(added, Set.of())));
        long begin = System.nanoTime();
        int deleted = tracking.follow(family, now, gone, added);
        counters.tracked(family, System.nanoTime() - begin, deleted);
        owed.put(family, LedAway.NONE);
    }
}
