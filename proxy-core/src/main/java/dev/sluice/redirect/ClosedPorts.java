package dev.sluice.redirect;

import dev.sluice.model.IpAddress;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Addresses whose ports are refused but for their front ends, and where nobody is.
 *
 * <p>Immutable; any thread.
 *
 * @param addresses of one family
 * @param tcp socket on an address of the node at which connections are refused
 * @param udp socket on an address of the node at which datagrams are refused
 */
record ClosedPorts(SortedSet<IpAddress> addresses, RedirectTarget tcp, RedirectTarget udp) {
    ClosedPorts {
        addresses = Collections.unmodifiableSortedSet(new TreeSet<>(addresses));
    }
}
