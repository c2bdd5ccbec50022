package dev.sluice.netty;

import dev.sluice.balance.BackendSelectorFactory;
import dev.sluice.config.ProxyConfig;
import dev.sluice.control.OpenListener;
import dev.sluice.control.ServiceListeners;
import dev.sluice.model.LocalSources;
import dev.sluice.model.ServicePort;
import dev.sluice.model.ServicePortName;
import dev.sluice.state.ListenerPorts;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The listeners and connections of a proxy, on event loops of its own.
 *
 * <p>Threads: control thread only, except that any thread may ask for addresses and counts, and
 * close.
 */
public final class NettyServiceListeners implements ServiceListeners, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(NettyServiceListeners.class);

    private final NettyTransport transport;
    private final ListenerPorts ports;
    private final BackendSelectorFactory selectors;
    private final ConnectionLoops loops;
    private final TcpListeners tcp;
    private final UdpListeners udp;
    private final ConnectionLimit limit;
    private final ServicePortCounters counters;
    private volatile LocalSources places = LocalSources.NONE;
    private final Map<ServicePortName, ServiceListener> listeners = new ConcurrentHashMap<>();

    /** Open sockets of all listeners; control thread only. */
    private int sockets;

    /**
     * Starts the event loops.
     *
     * @param config its parts {@code transport}, {@code redirect}, {@code listener}, {@code dial},
     *     {@code connections} and {@code admin.metrics}
     * @param selectors used by the control thread only, as is {@code ports}
     * @throws IllegalStateException if the transport asked for is not available, or can't serve
     *     redirected connections
     */
    public NettyServiceListeners(
            ProxyConfig config, ListenerPorts ports, BackendSelectorFactory selectors) {
        transport = NettyTransport.of(config);
        this.ports = ports;
        this.selectors = selectors;
        loops = new ConnectionLoops(transport, config);
        limit = ConnectionLimit.ofThisProcess(config.connections().max());
        counters = new ServicePortCounters(config.admin().metrics().maxServicePorts());
        DialGuard guard = new DialGuard(config.dial().allowLoopback());
        boolean redirected = config.redirect().mode() != ProxyConfig.Redirect.Mode.NONE;
        tcp =
                new TcpListeners(
                        config,
                        transport,
                        loops,
                        ports,
                        selectors,
                        guard,
                        limit,
                        new RateLimitedWarning(log),
                        redirected,
                        () -> places);
        udp =
                new UdpListeners(
                        config,
                        loops,
                        ports,
                        selectors,
                        guard,
                        limit,
                        redirected,
                        () -> places,
                        System::nanoTime);
        udp.readNode();
    }

    /** {@code epoll} or {@code nio}. */
    public String transportName() {
        return transport.name();
    }

    @Override
    public OpenListener open(ServicePort servicePort) throws IOException {
        ConnectionCounters own = counters.open();
        ServiceListener opened;
        try {
            opened = open(servicePort, own);
        } catch (IOException | RuntimeException e) {
            counters.close(own);
            throw e;
        }
        listeners.put(servicePort.name(), opened);
        count(sockets(opened));
        return opened.opened();
    }

    private ServiceListener open(ServicePort servicePort, ConnectionCounters own)
            throws IOException {
        return switch (servicePort.name().protocol()) {
            case TCP -> TcpListener.open(tcp, servicePort, own);
            case UDP -> UdpListener.open(udp, servicePort, own);
            case SCTP -> throw new IOException("SCTP is not served");
        };
    }

    @Override
    public OpenListener update(ServicePort servicePort) throws IOException {
        ServiceListener listener = listener(servicePort.name());
        int before = sockets(listener);
        try {
            listener.update(servicePort);
        } finally {
            count(sockets(listener) - before);
        }
        return listener.opened();
    }

    @Override
    public SortedMap<ServicePortName, String> incomplete() {
        SortedMap<ServicePortName, String> incomplete = new TreeMap<>();
        listeners.forEach(
                (name, listener) ->
                        listener.incomplete().ifPresent(why -> incomplete.put(name, why)));
        return incomplete;
    }

    @Override
    public void localSources(LocalSources sources) {
        places = sources;
        udp.readNode();
    }

    @Override
    public void close(ServicePortName name) {
        ServiceListener listener = listener(name);
        listeners.remove(name);
        count(-sockets(listener));
        listener.close();
        counters.close(listener.counters());
        ports.release(name);
        selectors.remove(name);
    }

    private void count(int more) {
        sockets += more;
        limit.listeners(sockets);
    }

    private static int sockets(ServiceListener listener) {
        return 1 + listener.nodePorts().size();
    }

    private ServiceListener listener(ServicePortName name) {
        ServiceListener listener = listeners.get(name);
        if (listener == null) {
            throw new IllegalStateException(name + " has no listener");
        }
        return listener;
    }

    /** Where the listener of a Service port is bound; empty if it has none. */
    public Optional<InetSocketAddress> address(ServicePortName name) {
        return Optional.ofNullable(listeners.get(name)).map(ServiceListener::address);
    }

    /** What can be seen of listeners and connections. */
    public Traffic traffic() {
        return new Traffic(loops, udp, listeners.values(), counters, limit);
    }

    /** Connections now, those that are being dialled for included. */
    public int activeConnections() {
        return limit.active();
    }

    /**
     * Waits until no connection is left.
     *
     * @return false if some are left when the time is over
     * @throws InterruptedException if the thread is interrupted meanwhile
     */
    public boolean awaitNoConnection(Duration limitOfWait) throws InterruptedException {
        return limit.awaitNone(limitOfWait);
    }

    /**
     * Resets all connections and ends the event loops. Listeners must have been closed. Blocks for
     * 2 s at most. A second call does nothing more.
     */
    @Override
    public void close() {
        udp.close();
        loops.close();
    }
}
