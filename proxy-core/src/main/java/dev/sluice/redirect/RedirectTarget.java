package dev.sluice.redirect;

import dev.sluice.model.IpAddress;
import java.util.Optional;

/**
 * Where a rule leads to: a port of this node.
 *
 * <p>Immutable; any thread.
 *
 * @param address an address of this node; empty: any one that the listener is bound to
 * @param port 1 to 65535
 */
public record RedirectTarget(Optional<IpAddress> address, int port) {
    public RedirectTarget {
        if (port < 1 || port > 65535) {
            throw new IllegalArgumentException("port " + port + " is not in 1..65535");
        }
    }

    /** A port of a listener that is bound to all addresses of the node. */
    public static RedirectTarget port(int port) {
        return new RedirectTarget(Optional.empty(), port);
    }

    /** A socket that is bound to one address of the node. */
    public static RedirectTarget socket(IpAddress address, int port) {
        return new RedirectTarget(Optional.of(address), port);
    }
}
