package dev.sluice.netty;

import dev.sluice.balance.BackendSelectorFactory;
import dev.sluice.config.ProxyConfig;
import dev.sluice.control.OpenListener;
import dev.sluice.control.ServiceListeners;
import dev.sluice.model.IpAddress;
import dev.sluice.model.Protocol;
import dev.sluice.model.ServicePort;
import dev.sluice.model.ServicePortName;
import dev.sluice.state.ListenerPorts;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
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

    private final ProxyConfig config;
    private final NettyTransport transport;
    private final ListenerPorts ports;
    private final BackendSelectorFactory selectors;
    private final boolean redirected;
    private final ConnectionLoops loops;
    private final DialGuard guard;
    private final ConnectionLimit limit;
    private final ServicePortCounters counters;
    private final RateLimitedWarning shortage = new RateLimitedWarning(log);
    private final Map<ServicePortName, Listener> listeners = new ConcurrentHashMap<>();

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
        this.config = config;
        this.transport = NettyTransport.of(config);
        this.ports = ports;
        this.selectors = selectors;
        this.redirected = config.redirect().mode() != ProxyConfig.Redirect.Mode.NONE;
        loops = new ConnectionLoops(transport, config);
        guard = new DialGuard(config.dial().allowLoopback());
        limit = ConnectionLimit.ofThisProcess(config.connections().max());
        counters = new ServicePortCounters(config.admin().metrics().maxServicePorts());
    }

    /** {@code epoll} or {@code nio}. */
    public String transportName() {
        return transport.name();
    }

    @Override
    public OpenListener open(ServicePort servicePort) throws IOException {
        if (servicePort.name().protocol() != Protocol.TCP) {
            throw new IOException(servicePort.name().protocol() + " is not served");
        }
        ConnectionCounters own = counters.open();
        Listener opened;
        try {
            opened = open(servicePort, backends(servicePort), own);
        } catch (IOException | RuntimeException e) {
            counters.close(own);
            throw e;
        }
        listeners.put(servicePort.name(), opened);
        limit.listeners(listeners.size());
        guard.add(servicePort, opened.port());
        return opened.open();
    }

    private Listener open(ServicePort servicePort, Backends backends, ConnectionCounters own)
            throws IOException {
        return ports.claim(servicePort.name(), port -> bind(servicePort, backends, own, port));
    }

    private Listener bind(
            ServicePort servicePort, Backends backends, ConnectionCounters own, int port)
            throws IOException {
        ListenSocket socket = transport.bind(new InetSocketAddress(listenAddress(), port));
        Acceptor acceptor =
                new Acceptor(
                        loops.next(),
                        socket,
                        loops::next,
                        config.dial(),
                        guard,
                        limit,
                        own,
                        shortage,
                        backends);
        try {
            if (backends.isUsable()) {
                listen(acceptor);
            }
        } catch (IOException e) {
            acceptor.loop().run(socket::close);
            throw e;
        }
        return new Listener(servicePort, acceptor, backends.isUsable());
    }

    @Override
    public OpenListener update(ServicePort servicePort) throws IOException {
        Listener before = listener(servicePort.name());
        Acceptor acceptor = before.acceptor();
        Backends backends = backends(servicePort);
        if (before.listening() && !backends.isUsable()) {
            acceptor.loop().run(acceptor.socket()::refuse);
            acceptor.socket().awaitRefusal(acceptor.loop());
        }
        acceptor.update(backends);
        if (!before.listening() && backends.isUsable()) {
            try {
                listen(acceptor);
            } catch (BindException e) {
                log.warn(
                        "{}: another program took port {} while there was no endpoint",
                        servicePort.name(),
                        before.port());
                // First the new one: while no port is to be had, this one stays to be tried again.
                Listener reopened = open(servicePort, backends, acceptor.counters());
                closeSocket(before);
                return replace(before, reopened);
            }
        }
        return replace(before, new Listener(servicePort, acceptor, backends.isUsable()));
    }

    private OpenListener replace(Listener before, Listener after) {
        listeners.put(after.servicePort().name(), after);
        guard.replace(before.servicePort(), before.port(), after.servicePort(), after.port());
        return after.open();
    }

    private static void listen(Acceptor acceptor) throws IOException {
        acceptor.loop()
                .run(() -> acceptor.socket().listen(acceptor.loop(), acceptor::acceptWaiting));
    }

    @Override
    public void close(ServicePortName name) {
        Listener listener = listener(name);
        listeners.remove(name);
        limit.listeners(listeners.size());
        closeSocket(listener);
        counters.close(listener.acceptor().counters());
        guard.remove(listener.servicePort(), listener.port());
        ports.release(name);
        selectors.remove(name);
    }

    private static void closeSocket(Listener listener) {
        Acceptor acceptor = listener.acceptor();
        try {
            acceptor.loop().run(acceptor.socket()::close);
            acceptor.socket().awaitRefusal(acceptor.loop());
        } catch (IOException e) {
            log.error("{}: the listener could not be closed", listener.servicePort().name(), e);
        }
    }

    private Listener listener(ServicePortName name) {
        Listener listener = listeners.get(name);
        if (listener == null) {
            throw new IllegalStateException(name + " has no listener");
        }
        return listener;
    }

    private Backends backends(ServicePort servicePort) {
        return Backends.of(servicePort, selectors, redirected);
    }

    private InetAddress listenAddress() {
        IpAddress address = redirected ? EpollTransport.anyAddress() : config.listener().address();
        return address.toInetAddress();
    }

    /** Where the listener of a Service port is bound; empty if it has none. */
    public Optional<InetSocketAddress> address(ServicePortName name) {
        return Optional.ofNullable(listeners.get(name)).map(Listener::address);
    }

    /** What can be seen of listeners and connections. */
    public Traffic traffic() {
        return new Traffic(loops, listeners.values(), counters, limit);
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
        loops.close();
    }
}
