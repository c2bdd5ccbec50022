package dev.sluice.netty;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.sluice.balance.BackendSelector;
import dev.sluice.balance.BackendSelectorFactory;
import dev.sluice.config.ProxyConfig;
import dev.sluice.control.ServiceListeners;
import dev.sluice.model.FrontEnd;
import dev.sluice.model.IpAddress;
import dev.sluice.model.IpFamily;
import dev.sluice.model.ServicePort;
import dev.sluice.model.ServicePortName;
import dev.sluice.state.ListenerPorts;
import io.netty.channel.IoEventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.management.ManagementFactory;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
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

    /** What a JVM that can't be asked may hold, by the usual soft limit. */
    private static final long USUAL_DESCRIPTOR_LIMIT = 1024;

    /** Longest wait for event loops to reset their connections, and again for their end. */
    private static final Duration STOP_LIMIT = Duration.ofSeconds(2);

    private final ProxyConfig config;
    private final NettyTransport transport;
    private final ListenerPorts ports;
    private final BackendSelectorFactory selectors;
    private final boolean redirected;
    private final MultiThreadIoEventLoopGroup group;
    private final List<ConnectionLoop> loops;
    private final AtomicInteger nextLoop = new AtomicInteger();
    private final DialGuard guard;
    private final ConnectionLimit limit;
    private final ConnectionCounters counters = new ConnectionCounters();
    private final RateLimitedWarning shortage = new RateLimitedWarning(log);
    private final Map<ServicePortName, Listener> listeners = new ConcurrentHashMap<>();

    /** A listener with the value it serves. */
    private record Listener(ServicePort servicePort, Acceptor acceptor, boolean listening) {
        InetSocketAddress address() {
            return acceptor.socket().address();
        }

        int port() {
            return address().getPort();
        }
    }

    /**
     * Starts the event loops.
     *
     * @param config its parts {@code transport}, {@code redirect}, {@code listener}, {@code dial}
     *     and {@code connections}
     * @param selectors used by the control thread only, as is {@code ports}
     * @throws IllegalStateException if the transport asked for is not available, or can't serve
     *     redirected connections
     */
    public NettyServiceListeners(
            ProxyConfig config, ListenerPorts ports, BackendSelectorFactory selectors) {
        this.config = config;
        this.transport = transport(config);
        this.ports = ports;
        this.selectors = selectors;
        this.redirected = config.redirect().mode() != ProxyConfig.Redirect.Mode.NONE;
        int threads = config.transport().eventLoops();
        group =
                new MultiThreadIoEventLoopGroup(
                        threads > 0 ? threads : Runtime.getRuntime().availableProcessors(),
                        new DefaultThreadFactory("sluice-" + transport.name(), true),
                        transport.ioHandlerFactory());
        loops = new ArrayList<>();
        for (EventExecutor executor : group) {
            loops.add(new ConnectionLoop((IoEventLoop) executor, transport, config.connections()));
        }
        for (ConnectionLoop loop : loops) {
            loop.eventLoop().submit(loop::open).syncUninterruptibly();
        }
        guard = new DialGuard(config.dial().allowLoopback());
        limit = new ConnectionLimit(config.connections().max(), descriptorLimit());
    }

    private static NettyTransport transport(ProxyConfig config) {
        NettyTransport transport =
                switch (config.transport().kind()) {
                    case AUTO -> NettyTransport.best();
                    case EPOLL -> EpollTransport.required();
                    case NIO -> new NioTransport();
                };
        ProxyConfig.Redirect.Mode redirect = config.redirect().mode();
        if (redirect != ProxyConfig.Redirect.Mode.NONE && !transport.knowsOriginalDestination()) {
            throw new IllegalStateException(
                    "redirect.mode "
                            + redirect.name().toLowerCase(Locale.ROOT)
                            + " needs native epoll (Linux), and the transport is "
                            + transport.name()
                            + ": the destination of redirected connections can't be asked for."
                            + " Run with redirect.mode none, or with transport.kind epoll to see"
                            + " why it does not load");
        }
        return transport;
    }

    private static long descriptorLimit() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean os
                ? os.getMaxFileDescriptorCount()
                : USUAL_DESCRIPTOR_LIMIT;
    }

    /** {@code epoll} or {@code nio}. */
    public String transportName() {
        return transport.name();
    }

    @Override
    public int open(ServicePort servicePort) throws IOException {
        Listener opened = open(servicePort, backends(servicePort));
        put(opened);
        return opened.port();
    }

    private Listener open(ServicePort servicePort, Backends backends) throws IOException {
        return ports.claim(servicePort.name(), port -> bind(servicePort, backends, port));
    }

    private Listener bind(ServicePort servicePort, Backends backends, int port) throws IOException {
        ListenSocket socket = transport.bind(new InetSocketAddress(listenAddress(), port));
        Acceptor acceptor =
                new Acceptor(
                        nextLoop(),
                        socket,
                        this::nextLoop,
                        config.dial(),
                        guard,
                        limit,
                        counters,
                        shortage,
                        backends);
        try {
            if (backends.isUsable()) {
                listen(acceptor);
            }
        } catch (IOException e) {
            on(acceptor.loop(), socket::close);
            throw e;
        }
        return new Listener(servicePort, acceptor, backends.isUsable());
    }

    @Override
    public int update(ServicePort servicePort) throws IOException {
        Listener before = listener(servicePort.name());
        Acceptor acceptor = before.acceptor();
        Backends backends = backends(servicePort);
        if (before.listening() && !backends.isUsable()) {
            on(acceptor.loop(), acceptor.socket()::refuse);
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
                drop(before);
                Listener reopened = open(servicePort, backends);
                put(reopened);
                return reopened.port();
            }
        }
        guard.remove(before.servicePort(), before.port());
        put(new Listener(servicePort, acceptor, backends.isUsable()));
        return before.port();
    }

    private static void listen(Acceptor acceptor) throws IOException {
        on(
                acceptor.loop(),
                () -> acceptor.socket().listen(acceptor.loop(), acceptor::acceptWaiting));
    }

    @Override
    public void close(ServicePortName name) {
        drop(listener(name));
        ports.release(name);
        selectors.remove(name);
    }

    private void drop(Listener listener) {
        ServicePortName name = listener.servicePort().name();
        Acceptor acceptor = listener.acceptor();
        listeners.remove(name);
        limit.listeners(listeners.size());
        guard.remove(listener.servicePort(), listener.port());
        try {
            on(acceptor.loop(), acceptor.socket()::close);
            acceptor.socket().awaitRefusal(acceptor.loop());
        } catch (IOException e) {
            log.error("{}: the listener could not be closed", name, e);
        }
    }

    private Listener listener(ServicePortName name) {
        Listener listener = listeners.get(name);
        if (listener == null) {
            throw new IllegalStateException(name + " has no listener");
        }
        return listener;
    }

    private void put(Listener listener) {
        listeners.put(listener.servicePort().name(), listener);
        limit.listeners(listeners.size());
        guard.add(listener.servicePort(), listener.port());
    }

    private Backends backends(ServicePort servicePort) {
        Map<FrontEnd, BackendSelector> usable = new LinkedHashMap<>();
        for (FrontEnd frontEnd : servicePort.frontEnds()) {
            IpFamily family = frontEnd.address().family();
            // Also without endpoints: what the factory keeps shall know that they are gone.
            BackendSelector selector = selectors.selector(servicePort, family);
            if (servicePort.hasEndpoints(family)) {
                usable.put(frontEnd, selector);
            }
        }
        Optional<BackendSelector> direct =
                redirected ? Optional.empty() : usable.values().stream().findFirst();
        return new Backends(
                servicePort.name(), Set.copyOf(servicePort.frontEnds()), usable, direct);
    }

    private InetAddress listenAddress() {
        IpAddress address = redirected ? EpollTransport.anyAddress() : config.listener().address();
        return address.toInetAddress();
    }

    /** Work for an event loop that may fail. */
    private interface LoopTask {
        void run() throws IOException;
    }

    /** Runs a task on its event loop and waits for it. */
    private static void on(ConnectionLoop loop, LoopTask task) throws IOException {
        Future<?> done =
                loop.eventLoop()
                        .submit(
                                () -> {
                                    task.run();
                                    return true;
                                });
        try {
            done.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException cause) {
                throw cause;
            }
            throw new IllegalStateException("an event loop failed", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while an event loop worked");
        }
    }

    private ConnectionLoop nextLoop() {
        return loops.get(Math.floorMod(nextLoop.getAndIncrement(), loops.size()));
    }

    /** Where the listener of a Service port is bound; empty if it has none. */
    public Optional<InetSocketAddress> address(ServicePortName name) {
        return Optional.ofNullable(listeners.get(name)).map(Listener::address);
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
     * 4 s at most.
     */
    @Override
    public void close() {
        // Before the end begins: a loop that ends closes what is registered with it, by a FIN.
        List<Future<?>> resets = new ArrayList<>();
        for (ConnectionLoop loop : loops) {
            resets.add(loop.eventLoop().submit(loop::close));
        }
        long end = System.nanoTime() + STOP_LIMIT.toNanos();
        for (Future<?> reset : resets) {
            reset.awaitUninterruptibly(end - System.nanoTime(), TimeUnit.NANOSECONDS);
        }
        group.shutdownGracefully(0, STOP_LIMIT.toMillis(), TimeUnit.MILLISECONDS)
                .awaitUninterruptibly(STOP_LIMIT.toMillis());
    }
}
