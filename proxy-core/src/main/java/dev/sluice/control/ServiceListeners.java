package dev.sluice.control;

import dev.sluice.model.ServicePort;
import dev.sluice.model.ServicePortName;
import java.io.IOException;

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
     * @return the local port, 1 to 65535
     * @throws IOException if no port could be bound
     */
    int open(ServicePort servicePort) throws IOException;

    /**
     * Makes an open listener serve the new value, without a moment in which it refuses what both
     * values serve.
     *
     * @return the local port; the same as before unless another program took it while it was held
     *     without endpoints
     * @throws IOException if the listener could not be revived; it stays open with the old value
     */
    int update(ServicePort servicePort) throws IOException;

    /** Closes the listener. Connections that it accepted go on. */
    void close(ServicePortName name);
}
