package dev.sluice.redirect;

import dev.sluice.model.FrontEnd;
import dev.sluice.model.IpAddress;
import java.util.Collections;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Where packets of one family are led.
 *
 * <p>Immutable; any thread.
 *
 * @param redirects front end to the local port that it leads to
 * @param closed what is refused beside the front ends
 */
record NatTargets(SortedMap<FrontEnd, RedirectTarget> redirects, Optional<ClosedPorts> closed) {
    /** Nowhere. */
    static final NatTargets NONE = new NatTargets(Collections.emptySortedMap(), Optional.empty());

    NatTargets {
        redirects = Collections.unmodifiableSortedMap(new TreeMap<>(redirects));
    }

    LedAway led() {
        return new LedAway(
                redirects.keySet(),
                closed.<Set<IpAddress>>map(ClosedPorts::addresses).orElse(Set.of()));
    }

    /** Whether a flow goes elsewhere than what it asks for is led now. */
    boolean contradicts(TrackedFlow flow) {
        RedirectTarget target = redirects.get(flow.asked());
        if (target != null) {
            return !flow.leadsTo(target);
        }
        return closed.isPresent()
                && closed.get().addresses().contains(flow.asked().address())
                && !flow.isDirect()
                && !flow.leadsTo(closed.get().udp());
    }
}
