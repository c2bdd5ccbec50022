package dev.sluice.netty;

import dev.sluice.balance.BackendSelectorFactory;
import dev.sluice.config.ProxyConfig;
import dev.sluice.model.FrontEnd;
import dev.sluice.model.IpAddress;
import dev.sluice.model.LocalSources;
import dev.sluice.model.ServicePort;
import dev.sluice.model.ServicePortName;
import dev.sluice.state.ListenerPorts;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.function.Supplier;

/**
 * What the TCP listeners of a proxy share.
 *
 * <p>Threads: control thread only.
 *
 * @param redirected whether clients come by redirect rules
 * @param places which clients are on this node now; asked by event loops
 */
record TcpListeners(
        ProxyConfig config,
        NettyTransport transport,
        ConnectionLoops loops,
        ListenerPorts ports,
        BackendSelectorFactory selectors,
        DialGuard guard,
        ConnectionLimit limit,
        RateLimitedWarning shortage,
        boolean redirected,
        Supplier<LocalSources> places) {

    Backends backends(ServicePort servicePort) {
        return Backends.of(servicePort, selectors, redirected);
    }

    /**
     * Binds a random port, or the remembered one, for all front ends that are redirected.
     *
     * @throws IOException if there is no port left
     */
    AcceptingSocket bindAny(ServicePortName name, Backends backends, ConnectionCounters counters)
            throws IOException {
        IpAddress address = redirected ? EpollTransport.anyAddress() : config.listener().address();
        AskedFrontEnd asked = redirected ? StreamSocket::originalDestination : client -> null;
        return ports.claim(
                name,
                port -> {
                    AcceptingSocket socket = bind(address, port, asked, backends, counters);
                    try {
                        socket.update(backends, isUsable(backends));
                        return socket;
                    } catch (IOException e) {
                        socket.close();
                        throw e;
                    }
                });
    }

    /** Whether anybody who is led to the listener by rules, or comes to it, can be served. */
    boolean isUsable(Backends backends) {
        return redirected
                ? backends.entrances().values().stream().anyMatch(Entrance::isOpen)
                : backends.direct().isPresent();
    }

    /**
     * Binds the address and port of a NodePort.
     *
     * @throws IOException if it can't be had
     */
    AcceptingSocket bindNodePort(FrontEnd frontEnd, Backends backends, ConnectionCounters counters)
            throws IOException {
        return bind(frontEnd.address(), frontEnd.port(), client -> frontEnd, backends, counters);
    }

    private AcceptingSocket bind(
            IpAddress address,
            int port,
            AskedFrontEnd asked,
            Backends backends,
            ConnectionCounters counters)
            throws IOException {
        ListenSocket socket = transport.bind(new InetSocketAddress(address.toInetAddress(), port));
        return new AcceptingSocket(
                socket,
                new Acceptor(
                        loops.next(),
                        socket,
                        asked,
                        loops::next,
                        config.dial(),
                        guard,
                        limit,
                        counters,
                        shortage,
                        places,
                        backends));
    }
}
