package dev.sluice.redirect;

import dev.sluice.model.FrontEnd;
import dev.sluice.model.IpAddress;
import dev.sluice.model.IpFamily;
import java.util.HashSet;
import java.util.Set;

/**
 * What rules lead somewhere else than it asks for, wherever that is.
 *
 * <p>Immutable; any thread.
 *
 * @param frontEnds with a rule of their own
 * @param addresses with all other ports
 */
record LedAway(Set<FrontEnd> frontEnds, Set<IpAddress> addresses) {
    /** Nothing. */
    static final LedAway NONE = new LedAway(Set.of(), Set.of());

    LedAway {
        frontEnds = Set.copyOf(frontEnds);
        addresses = Set.copyOf(addresses);
    }

    /** What one of both leads away, or both. */
    LedAway and(LedAway other) {
        Set<FrontEnd> allFrontEnds = new HashSet<>(frontEnds);
        allFrontEnds.addAll(other.frontEnds);
        Set<IpAddress> allAddresses = new HashSet<>(addresses);
        allAddresses.addAll(other.addresses);
        return new LedAway(allFrontEnds, allAddresses);
    }

    /** What the other one does not lead away. */
    LedAway without(LedAway other) {
        Set<FrontEnd> otherFrontEnds = new HashSet<>(frontEnds);
        otherFrontEnds.removeAll(other.frontEnds);
        Set<IpAddress> otherAddresses = new HashSet<>(addresses);
        otherAddresses.removeAll(other.addresses);
        return new LedAway(otherFrontEnds, otherAddresses);
    }

    LedAway only(IpFamily family) {
        Set<FrontEnd> frontEndsOfFamily = new HashSet<>(frontEnds);
        frontEndsOfFamily.removeIf(frontEnd -> frontEnd.address().family() != family);
        Set<IpAddress> addressesOfFamily = new HashSet<>(addresses);
        addressesOfFamily.removeIf(address -> address.family() != family);
        return new LedAway(frontEndsOfFamily, addressesOfFamily);
    }

    /** Whether a flow goes where one of these rules may have led it. */
    boolean explains(TrackedFlow flow) {
        return !flow.isDirect()
                && (frontEnds.contains(flow.asked()) || addresses.contains(flow.asked().address()));
    }
}
