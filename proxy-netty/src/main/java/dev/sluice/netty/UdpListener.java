package dev.sluice.netty;

import dev.sluice.control.OpenListener;
import dev.sluice.model.FrontEnd;
import dev.sluice.model.FrontEndKind;
import dev.sluice.model.IpAddress;
import dev.sluice.model.IpFamily;
import dev.sluice.model.ServicePort;
import dev.sluice.redirect.RedirectTarget;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The sockets of a UDP Service port: one for each family and each way in which front ends are
 * served ({@link UdpRoutes.Key}), which as a rule is one a family, and those of its NodePort.
 *
 * <p>The first one has the remembered port of the Service port. Others try the same number on their
 * own address; one that can't have it gets any port, which a restart may change: connection
 * tracking is brought up to date then.
 *
 * <p>Threads: as {@link ServiceListener} says.
 */
final class UdpListener implements ServiceListener {
    private final UdpListeners shared;
    private final ConnectionCounters counters;
    private final Map<UdpRoutes.Key, UdpSocket> sockets = new ConcurrentHashMap<>();
    private final UdpNodePorts nodePorts;
    private final SortedMap<String, String> failures = new TreeMap<>();
    private volatile ServicePort servicePort;
    private volatile InetSocketAddress main;

    private UdpListener(
            UdpListeners shared,
            ConnectionCounters counters,
            ServicePort servicePort,
            InetSocketAddress main) {
        this.shared = shared;
        this.counters = counters;
        this.nodePorts = new UdpNodePorts(shared, counters);
        this.servicePort = servicePort;
        this.main = main;
    }

    /**
     * Opens the sockets of a Service port.
     *
     * @throws IOException if there is no port for the first one
     */
    static UdpListener open(
            UdpListeners shared, ServicePort servicePort, ConnectionCounters counters)
            throws IOException {
        Map<UdpRoutes.Key, FrontEndKind> wanted = groups(shared, servicePort);
        for (Map.Entry<UdpRoutes.Key, FrontEndKind> group : wanted.entrySet()) {
            Optional<IpAddress> address = shared.address(group.getKey().family());
            if (address.isPresent()) {
                UdpRoutes routes = routes(shared, servicePort, group);
                UdpSocket first =
                        shared.ports()
                                .claim(
                                        servicePort.name(),
                                        port ->
                                                UdpSocket.bind(
                                                        shared.nextLoop(),
                                                        at(address.get(), port),
                                                        routes,
                                                        counters));
                UdpListener listener =
                        new UdpListener(shared, counters, servicePort, first.address());
                listener.sockets.put(group.getKey(), first);
                listener.serveAll(servicePort);
                shared.guard().add(servicePort, listener.ports());
                return listener;
            }
        }
        throw new IOException(
                "this node has no address of the families of " + servicePort.clusterIps());
    }

    private static UdpRoutes routes(
            UdpListeners shared,
            ServicePort servicePort,
            Map.Entry<UdpRoutes.Key, FrontEndKind> group) {
        return UdpRoutes.of(
                servicePort, group.getValue(), group.getKey().family(), shared.selectors());
    }

    static InetSocketAddress at(IpAddress address, int port) {
        return new InetSocketAddress(address.toInetAddress(), port);
    }

    /**
     * The groups of front ends that rules lead here, in a stable order, with one kind of each.
     * Where nothing redirects, clients come to the one socket themselves, as to a ClusterIP.
     */
    private static Map<UdpRoutes.Key, FrontEndKind> groups(
            UdpListeners shared, ServicePort servicePort) {
        Map<UdpRoutes.Key, FrontEndKind> groups = new LinkedHashMap<>();
        if (!shared.isRedirected()) {
            IpFamily family =
                    servicePort.clusterIps().stream()
                            .map(IpAddress::family)
                            .filter(servicePort::hasEndpoints)
                            .findFirst()
                            .orElse(servicePort.clusterIps().get(0).family());
            groups.put(
                    UdpRoutes.Key.of(servicePort, FrontEndKind.CLUSTER_IP, family),
                    FrontEndKind.CLUSTER_IP);
            return groups;
        }
        servicePort
                .kinds()
                .forEach(
                        (frontEnd, kind) -> {
                            if (kind != FrontEndKind.NODE_PORT) {
                                groups.putIfAbsent(
                                        UdpRoutes.Key.of(
                                                servicePort, kind, frontEnd.address().family()),
                                        kind);
                            }
                        });
        return groups;
    }

    @Override
    public void update(ServicePort next) {
        ServicePort before = servicePort;
        Set<Integer> portsBefore = ports();
        servicePort = next;
        serveAll(next);
        shared.guard().replace(before, portsBefore, next, ports());
    }

    /** Those that rules lead to; NodePorts are front ends. */
    private Set<Integer> ports() {
        return sockets.values().stream()
                .map(socket -> socket.address().getPort())
                .collect(Collectors.toSet());
    }

    private void serveAll(ServicePort next) {
        failures.clear();
        Map<UdpRoutes.Key, FrontEndKind> wanted = groups(shared, next);
        List<UdpSocket> spare = new ArrayList<>();
        sockets.forEach(
                (key, socket) -> {
                    if (!wanted.containsKey(key)) {
                        sockets.remove(key);
                        spare.add(socket);
                    }
                });
        for (Map.Entry<UdpRoutes.Key, FrontEndKind> group : wanted.entrySet()) {
            try {
                serve(group, routes(shared, next, group), spare);
            } catch (IOException e) {
                failures.put(group.getKey().family().name(), String.valueOf(e.getMessage()));
            }
        }
        spare.forEach(UdpSocket::close);
        wanted.keySet().stream()
                .map(sockets::get)
                .filter(Objects::nonNull)
                .findFirst()
                .ifPresent(first -> main = first.address());
        nodePorts.update(next, failures);
    }

    /**
     * A changed policy is another key: a socket of the same address that is free serves on, with
     * its port.
     */
    private void serve(
            Map.Entry<UdpRoutes.Key, FrontEndKind> group, UdpRoutes routes, List<UdpSocket> spare)
            throws IOException {
        UdpRoutes.Key key = group.getKey();
        IpAddress address =
                shared.address(key.family())
                        .orElseThrow(
                                () ->
                                        new IOException(
                                                "this node has no " + key.family() + " address"));
        UdpSocket socket = sockets.get(key);
        if (socket == null) {
            socket = takeSpare(address, spare);
        }
        if (socket != null && !isAt(address, socket)) {
            socket.close();
            sockets.remove(key);
            socket = null;
        }
        if (socket != null) {
            try {
                socket.update(routes);
                sockets.put(key, socket);
                return;
            } catch (IOException e) {
                socket.close();
                sockets.remove(key);
            }
        }
        sockets.put(key, bind(address, routes));
    }

    private static boolean isAt(IpAddress address, UdpSocket socket) {
        return IpAddress.of(socket.address().getAddress()).equals(address);
    }

    private static @Nullable UdpSocket takeSpare(IpAddress address, List<UdpSocket> spare) {
        for (UdpSocket socket : spare) {
            if (isAt(address, socket)) {
                spare.remove(socket);
                return socket;
            }
        }
        return null;
    }

    private UdpSocket bind(IpAddress address, UdpRoutes routes) throws IOException {
        try {
            return UdpSocket.bind(shared.nextLoop(), at(address, main.getPort()), routes, counters);
        } catch (IOException e) {
            return UdpSocket.bind(
                    shared.nextLoop(), at(address, anyPort(address)), routes, counters);
        }
    }

    private static int anyPort(IpAddress address) throws IOException {
        try (DatagramSocket probe = new DatagramSocket(at(address, 0))) {
            return probe.getLocalPort();
        }
    }

    @Override
    public OpenListener opened() {
        Map<FrontEnd, RedirectTarget> targets = new HashMap<>();
        servicePort
                .kinds()
                .forEach(
                        (frontEnd, kind) -> {
                            UdpSocket socket =
                                    sockets.get(
                                            UdpRoutes.Key.of(
                                                    servicePort,
                                                    kind,
                                                    frontEnd.address().family()));
                            if (shared.isRedirected()
                                    && kind != FrontEndKind.NODE_PORT
                                    && socket != null) {
                                InetSocketAddress at = socket.address();
                                targets.put(
                                        frontEnd,
                                        RedirectTarget.socket(
                                                IpAddress.of(at.getAddress()), at.getPort()));
                            }
                        });
        return new OpenListener(main.getPort(), targets);
    }

    @Override
    public Optional<String> incomplete() {
        List<String> reasons = new ArrayList<>();
        failures.forEach((what, why) -> reasons.add(what + ": " + why));
        sockets.forEach(
                (key, socket) -> {
                    Optional<IpAddress> address = shared.address(key.family());
                    IpAddress bound = IpAddress.of(socket.address().getAddress());
                    if (address.isPresent() && !address.get().equals(bound)) {
                        reasons.add("bound to " + bound + ", but the node is " + address.get());
                    }
                });
        return reasons.isEmpty()
                ? Optional.empty()
                : Optional.of(reasons.stream().sorted().collect(Collectors.joining(", ")));
    }

    @Override
    public void close() {
        nodePorts.close();
        sockets.values().forEach(UdpSocket::close);
        shared.guard().remove(servicePort, ports());
        sockets.clear();
    }

    @Override
    public ServicePort servicePort() {
        return servicePort;
    }

    @Override
    public InetSocketAddress address() {
        return main;
    }

    @Override
    public boolean isAccepting() {
        return sockets.values().stream().anyMatch(UdpSocket::isAccepting);
    }

    @Override
    public List<InetSocketAddress> nodePorts() {
        return nodePorts.addresses();
    }

    @Override
    public ConnectionCounters counters() {
        return counters;
    }
}
