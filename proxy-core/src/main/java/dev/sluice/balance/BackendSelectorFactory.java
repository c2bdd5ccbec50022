package dev.sluice.balance;

import dev.sluice.model.EndpointSet;
import dev.sluice.model.IpFamily;
import dev.sluice.model.ServicePort;
import dev.sluice.model.ServicePortName;

/**
 * Makes the selectors of Service ports and keeps what outlives a selector.
 *
 * <p>Threads: control thread only.
 */
public interface BackendSelectorFactory {
    /**
     * A selector over the endpoints that the Service port has now in one set and family; state kept
     * for this Service port, set and family goes on in it.
     */
    BackendSelector selector(ServicePort servicePort, EndpointSet set, IpFamily family);

    /** Drops all that is kept for a Service port that is gone. */
    void remove(ServicePortName name);
}
