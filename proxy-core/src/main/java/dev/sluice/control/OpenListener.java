package dev.sluice.control;

import dev.sluice.model.FrontEnd;
import dev.sluice.redirect.RedirectTarget;
import java.util.Map;

/**
 * Where a Service port is served on this node.
 *
 * <p>Immutable; any thread.
 *
 * @param port the local port, 1 to 65535
 * @param targets where traffic to a front end must be redirected to; a front end that has a socket
 *     of its own, as a NodePort has, is missing
 */
public record OpenListener(int port, Map<FrontEnd, RedirectTarget> targets) {
    public OpenListener {
        targets = Map.copyOf(targets);
    }
}
