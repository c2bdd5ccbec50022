package dev.sluice.netty.contract;

import dev.sluice.balance.RoundRobinSelectorFactory;
import dev.sluice.config.ProxyConfig;
import dev.sluice.model.Endpoint;
import dev.sluice.model.IpAddress;
import dev.sluice.model.Protocol;
import dev.sluice.model.ServicePort;
import dev.sluice.model.ServicePortName;
import dev.sluice.model.SessionAffinity;
import dev.sluice.netty.NettyServiceListeners;
import dev.sluice.state.ListenerPorts;
import dev.sluice.state.PortMemory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.random.RandomGenerator;

/**
 * The listeners and connections of the product, without the control path.
 *
 * <p>Threads: as {@link ProxyUnderTest}.
 */
final class SpliceProxy implements ProxyUnderTest {
    private final NettyServiceListeners listeners;
    private final Map<InetSocketAddress, ServicePort> served = new HashMap<>();

    SpliceProxy(ProxyConfig.Transport.Kind transport, Tuning tuning) {
        ProxyConfig config = config(transport, tuning);
        listeners =
                new NettyServiceListeners(
                        config,
                        new ListenerPorts(config.listener().portRanges(), PortMemory.inMemory()),
                        new RoundRobinSelectorFactory(RandomGenerator.getDefault()));
    }

    private static ProxyConfig config(ProxyConfig.Transport.Kind transport, Tuning tuning) {
        ProxyConfig defaults = ProxyConfig.embedded();
        return new ProxyConfig(
                defaults.manifests(),
                defaults.kubernetes(),
                defaults.node(),
                defaults.services(),
                defaults.nodePorts(),
                defaults.udp(),
                defaults.health(),
                new ProxyConfig.Transport(transport, 2),
                defaults.redirect(),
                defaults.listener(),
                new ProxyConfig.Dial(
                        tuning.tryTimeouts(), tuning.totalTimeout(), tuning.retryPause(), true),
                new ProxyConfig.Connections(
                        OptionalInt.empty(),
                        tuning.halfClosedTimeout(),
                        tuning.unackedTimeout(),
                        tuning.reapInterval(),
                        defaults.connections().keepalive()),
                defaults.affinity(),
                defaults.reconcile(),
                defaults.state(),
                defaults.shutdown(),
                defaults.admin());
    }

    @Override
    public InetSocketAddress serve(List<InetSocketAddress> endpoints) throws IOException {
        ServicePortName name =
                ServicePortName.of("default", "service-" + served.size(), "", Protocol.TCP);
        ServicePort servicePort = servicePort(name, endpoints);
        listeners.open(servicePort);
        InetSocketAddress address = listeners.address(name).orElseThrow();
        served.put(address, servicePort);
        return address;
    }

    private static ServicePort servicePort(
            ServicePortName name, List<InetSocketAddress> endpoints) {
        return new ServicePort(
                name,
                List.of(IpAddress.parse("192.0.2.1")),
                80,
                SessionAffinity.NONE,
                endpoints.stream()
                        .map(e -> new Endpoint(IpAddress.of(e.getAddress()), e.getPort()))
                        .toList());
    }

    @Override
    public void setEndpoints(InetSocketAddress service, List<InetSocketAddress> endpoints)
            throws IOException {
        ServicePort before = served.get(service);
        if (before == null) {
            throw new IllegalArgumentException(service + " is not served");
        }
        listeners.update(servicePort(before.name(), endpoints));
    }

    @Override
    public int activeConnections() {
        return listeners.activeConnections();
    }

    @Override
    public void close() {
        served.values().forEach(servicePort -> listeners.close(servicePort.name()));
        listeners.close();
    }
}
