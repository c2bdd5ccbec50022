package dev.sluice.netty;

import dev.sluice.balance.BackendSelectorFactory;
import dev.sluice.balance.RoundRobinSelectorFactory;
import dev.sluice.config.ProxyConfig;
import dev.sluice.model.Endpoint;
import dev.sluice.model.IpAddress;
import dev.sluice.model.Protocol;
import dev.sluice.model.ServicePort;
import dev.sluice.model.ServicePortName;
import dev.sluice.model.SessionAffinity;
import dev.sluice.state.ListenerPorts;
import dev.sluice.state.PortMemory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.SplittableRandom;

/**
 * A proxy without a control path, and the Service ports that are given to it by hand.
 *
 * <p>Threads: the test's.
 */
final class Services implements AutoCloseable {
    private final NettyServiceListeners listeners;

    Services(ProxyConfig config) {
        this(config, new RoundRobinSelectorFactory(new SplittableRandom(1)));
    }

    Services(ProxyConfig config, BackendSelectorFactory selectors) {
        listeners =
                new NettyServiceListeners(
                        config,
                        new ListenerPorts(config.listener().portRanges(), PortMemory.inMemory()),
                        selectors);
    }

    NettyServiceListeners listeners() {
        return listeners;
    }

    /** Opens a Service port over endpoints; where clients reach it. */
    InetSocketAddress open(String name, InetSocketAddress... endpoints) throws IOException {
        listeners.open(servicePort(name, endpoints));
        return listeners.address(name(name)).orElseThrow();
    }

    /** Gives a Service port other endpoints; where clients reach it now. */
    InetSocketAddress update(String name, InetSocketAddress... endpoints) throws IOException {
        listeners.update(servicePort(name, endpoints));
        return listeners.address(name(name)).orElseThrow();
    }

    void close(String name) {
        listeners.close(name(name));
    }

    static ServicePortName name(String name) {
        return ServicePortName.of("default", name, "", Protocol.TCP);
    }

    /** A Service port whose ClusterIP is of 192.0.2.0/24, by its name. */
    static ServicePort servicePort(String name, InetSocketAddress... endpoints) {
        return new ServicePort(
                name(name),
                List.of(IpAddress.parse("192.0.2." + (1 + Math.floorMod(name.hashCode(), 254)))),
                80,
                SessionAffinity.NONE,
                Arrays.stream(endpoints).map(Services::endpoint).toList());
    }

    static InetSocketAddress address(String ip, int port) {
        return new InetSocketAddress(IpAddress.parse(ip).toInetAddress(), port);
    }

    static Endpoint endpoint(InetSocketAddress address) {
        return new Endpoint(IpAddress.of(address.getAddress()), address.getPort());
    }

    /** For tests: nothing redirected, loopback allowed, two event loops. */
    static ProxyConfig config(NettyTransport transport) {
        ProxyConfig.Connections connections = ProxyConfig.embedded().connections();
        return config(transport, connections);
    }

    static ProxyConfig config(NettyTransport transport, ProxyConfig.Connections connections) {
        ProxyConfig defaults = ProxyConfig.embedded();
        ProxyConfig.Transport.Kind kind =
                switch (transport.name()) {
                    case "epoll" -> ProxyConfig.Transport.Kind.EPOLL;
                    default -> ProxyConfig.Transport.Kind.NIO;
                };
        return new ProxyConfig(
                defaults.manifests(),
                defaults.kubernetes(),
                defaults.node(),
                defaults.services(),
                defaults.nodePorts(),
                defaults.udp(),
                defaults.health(),
                new ProxyConfig.Transport(kind, 2),
                defaults.redirect(),
                defaults.listener(),
                defaults.dial(),
                connections,
                defaults.affinity(),
                defaults.reconcile(),
                defaults.state(),
                defaults.shutdown(),
                defaults.admin());
    }

    /** The same with other limits of UDP sessions. */
    static ProxyConfig withUdp(ProxyConfig config, ProxyConfig.Udp limits) {
        return new ProxyConfig(
                config.manifests(),
                config.kubernetes(),
                config.node(),
                config.services(),
                config.nodePorts(),
                limits,
                config.health(),
                config.transport(),
                config.redirect(),
                config.listener(),
                config.dial(),
                config.connections(),
                config.affinity(),
                config.reconcile(),
                config.state(),
                config.shutdown(),
                config.admin());
    }

    /** Limits of connections with a look for dead ones every 100 ms. */
    static ProxyConfig.Connections connections(
            OptionalInt max, Duration halfClosed, Duration unacked) {
        return new ProxyConfig.Connections(
                max,
                halfClosed,
                unacked,
                Duration.ofMillis(100),
                ProxyConfig.embedded().connections().keepalive());
    }

    @Override
    public void close() {
        listeners.close();
    }
}
