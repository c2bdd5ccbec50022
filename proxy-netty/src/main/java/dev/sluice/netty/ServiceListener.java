package dev.sluice.netty;

import dev.sluice.control.OpenListener;
import dev.sluice.model.ServicePort;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;

/**
 * The sockets of one Service port.
 *
 * <p>Threads: control thread only, except that any thread may ask what it serves, where, and how
 * often.
 */
sealed interface ServiceListener permits TcpListener, UdpListener {
    /** The value that is served. Any thread. */
    ServicePort servicePort();

    /** Where it is bound, NodePorts aside. Any thread. */
    InetSocketAddress address();

    /** Whether it takes clients there; otherwise it refuses them. Any thread. */
    boolean isAccepting();

    /** The sockets of its NodePort that are open. Any thread. */
    List<InetSocketAddress> nodePorts();

    /** Any thread. */
    ConnectionCounters counters();

    /** Where front ends must lead. */
    OpenListener opened();

    /** Why a part of the value is not served; empty if all of it is. Any thread. */
    Optional<String> incomplete();

    /**
     * Serves another value, or the same one once more where it is incomplete.
     *
     * @throws IOException if the old value is served on
     */
    void update(ServicePort servicePort) throws IOException;

    /** Closes the sockets. Connections go on. */
    void close();
}
