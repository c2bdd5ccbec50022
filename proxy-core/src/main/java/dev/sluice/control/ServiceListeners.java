package dev.sluice.control;

import dev.sluice.model.LocalSources;
import dev.sluice.model.ServicePort;
import dev.sluice.model.ServicePortName;
import java.io.IOException;
import java.util.Collections;
import java.util.SortedMap;

/**
 * The listening sockets, one per Service port.
 *
 * <p>Threads: control thread only; methods may block until an event loop has done the work.
 */
public interface ServiceListeners {
    /**
     * Opens the listener of a Service port that has none. It accepts if the Service port has an
     * endpoint; otherwise the port is held and connections to it are refused.
     *
     * @throws IOException if no port could be bound
     */
    OpenListener open(ServicePort servicePort) throws IOException;

    /**
     * Makes an open listener serve the new value, without a moment in which it refuses what both
     * values serve. The same value again opens what {@link #incomplete} named, if it can be now.
     *
     * @return the local port is the same as before unless another program took it while it was held
     *     without endpoints
     * @throws IOException if the listener could not be revived; it stays open with the old value
     */
    OpenListener update(ServicePort servicePort) throws IOException;

    /**
     * Open Service ports of which a part is not served, and why: a NodePort that another program
     * has, say.
     */
    default SortedMap<ServicePortName, String> incomplete() {
        return Collections.emptySortedMap();
    }

    /** Says which clients are on this node, for all connections from now on. */
    default void localSources(LocalSources sources) {}

    /** Closes the listener. Connections that it accepted go on. */
    void close(ServicePortName name);
}
