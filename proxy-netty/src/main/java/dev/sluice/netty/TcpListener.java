package dev.sluice.netty;

import dev.sluice.control.OpenListener;
import dev.sluice.model.FrontEnd;
import dev.sluice.model.FrontEndKind;
import dev.sluice.model.ServicePort;
import dev.sluice.redirect.RedirectTarget;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The listener of a TCP Service port: one socket on a random port, where redirect rules lead all
 * ClusterIPs, load balancer and external addresses, and the sockets of its NodePort.
 *
 * <p>Threads: as {@link ServiceListener} says.
 */
final class TcpListener implements ServiceListener {
    private static final Logger log = LoggerFactory.getLogger(TcpListener.class);

    private final TcpListeners shared;
    private final ConnectionCounters counters;
    private final NodePortSockets nodePorts;
    private volatile ServicePort servicePort;
    private volatile AcceptingSocket main;

    private TcpListener(
            TcpListeners shared,
            ConnectionCounters counters,
            ServicePort servicePort,
            AcceptingSocket main) {
        this.shared = shared;
        this.counters = counters;
        this.servicePort = servicePort;
        this.main = main;
        this.nodePorts = new NodePortSockets(shared, counters);
    }

    /**
     * Opens the listener of a Service port.
     *
     * @throws IOException if there is no port for it; a NodePort that can't be had is no reason
     */
    static TcpListener open(
            TcpListeners shared, ServicePort servicePort, ConnectionCounters counters)
            throws IOException {
        Backends backends = shared.backends(servicePort);
        AcceptingSocket main = shared.bindAny(servicePort.name(), backends, counters);
        TcpListener listener = new TcpListener(shared, counters, servicePort, main);
        shared.guard().add(servicePort, Set.of(listener.address().getPort()));
        listener.nodePorts.update(servicePort, backends);
        return listener;
    }

    @Override
    public void update(ServicePort next) throws IOException {
        Backends backends = shared.backends(next);
        ServicePort before = servicePort;
        int portBefore = address().getPort();
        try {
            main.update(backends, shared.isUsable(backends));
        } catch (BindException e) {
            log.warn(
                    "{}: another program took port {} while there was no endpoint",
                    next.name(),
                    portBefore);
            // First the new one: while no port is to be had, this one stays to be tried again.
            AcceptingSocket lost = main;
            main = shared.bindAny(next.name(), backends, counters);
            lost.close();
        }
        servicePort = next;
        shared.guard().replace(before, Set.of(portBefore), next, Set.of(address().getPort()));
        nodePorts.update(next, backends);
    }

    @Override
    public void close() {
        nodePorts.close();
        main.close();
        shared.guard().remove(servicePort, Set.of(address().getPort()));
    }

    @Override
    public OpenListener opened() {
        RedirectTarget target = RedirectTarget.port(address().getPort());
        Map<FrontEnd, RedirectTarget> targets = new HashMap<>();
        servicePort
                .kinds()
                .forEach(
                        (frontEnd, kind) -> {
                            if (kind != FrontEndKind.NODE_PORT) {
                                targets.put(frontEnd, target);
                            }
                        });
        return new OpenListener(target.port(), targets);
    }

    @Override
    public ServicePort servicePort() {
        return servicePort;
    }

    @Override
    public InetSocketAddress address() {
        return main.address();
    }

    @Override
    public boolean isAccepting() {
        return main.isListening();
    }

    @Override
    public List<InetSocketAddress> nodePorts() {
        return nodePorts.addresses();
    }

    @Override
    public ConnectionCounters counters() {
        return counters;
    }

    @Override
    public Optional<String> incomplete() {
        return nodePorts.failure();
    }
}
