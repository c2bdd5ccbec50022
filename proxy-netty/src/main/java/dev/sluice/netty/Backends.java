package dev.sluice.netty;

import dev.sluice.balance.BackendSelector;
import dev.sluice.model.FrontEnd;
import dev.sluice.model.ServicePortName;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Where an acceptor sends connections now: a selector for each front end that has endpoints.
 *
 * <p>Immutable; any thread.
 *
 * @param name the Service port
 * @param frontEnds all front ends of the Service port
 * @param selectors by front end; a front end without endpoints is missing
 * @param direct for connections that came to the listener itself where nothing redirects
 */
record Backends(
        ServicePortName name,
        Set<FrontEnd> frontEnds,
        Map<FrontEnd, BackendSelector> selectors,
        Optional<BackendSelector> direct) {
    Backends {
        frontEnds = Set.copyOf(frontEnds);
        selectors = Map.copyOf(selectors);
    }

    /** Whether any connection can be served. */
    boolean isUsable() {
        return !selectors.isEmpty();
    }
}
