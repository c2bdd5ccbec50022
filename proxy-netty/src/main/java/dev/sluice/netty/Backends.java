package dev.sluice.netty;

import dev.sluice.balance.BackendSelector;
import dev.sluice.balance.BackendSelectorFactory;
import dev.sluice.model.EndpointSet;
import dev.sluice.model.FrontEnd;
import dev.sluice.model.IpFamily;
import dev.sluice.model.ServicePort;
import dev.sluice.model.ServicePortName;
import java.util.LinkedHashMap;
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

    /**
     * Where connections to a Service port go.
     *
     * @param redirected whether clients are redirected, so that what comes to the listener itself
     *     is not served
     */
    static Backends of(
            ServicePort servicePort, BackendSelectorFactory selectors, boolean redirected) {
        Map<FrontEnd, BackendSelector> usable = new LinkedHashMap<>();
        for (FrontEnd frontEnd : servicePort.frontEnds()) {
            IpFamily family = frontEnd.address().family();
            // Also without endpoints: what the factory keeps shall know that they are gone.
            BackendSelector selector = selectors.selector(servicePort, EndpointSet.CLUSTER, family);
            if (servicePort.hasEndpoints(family)) {
                usable.put(frontEnd, selector);
            }
        }
        Optional<BackendSelector> direct =
                redirected ? Optional.empty() : usable.values().stream().findFirst();
        return new Backends(
                servicePort.name(), Set.copyOf(servicePort.frontEnds()), usable, direct);
    }

    /** Whether any connection can be served. */
    boolean isUsable() {
        return !selectors.isEmpty();
    }
}
