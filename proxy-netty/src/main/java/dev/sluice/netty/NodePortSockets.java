package dev.sluice.netty;

import dev.sluice.model.FrontEnd;
import dev.sluice.model.FrontEndKind;
import dev.sluice.model.ServicePort;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Collectors;

/**
 * The listening sockets of a Service port's NodePort, one on each address of the node that it is
 * served on. One that can't be had is left out and tried again with each update; the others serve.
 *
 * <p>A socket of its own rather than a redirect rule: the port is claimed and read, local firewalls
 * see the number that clients asked for, loopback needs no {@code route_localnet}, and it works
 * without netfilter.
 *
 * <p>Threads: control thread only, except {@link #addresses} and {@link #failure}.
 */
final class NodePortSockets {
    private final TcpListeners shared;
    private final ConnectionCounters counters;
    private final Map<FrontEnd, AcceptingSocket> sockets = new ConcurrentSkipListMap<>();
    private volatile SortedMap<FrontEnd, String> failures = Collections.emptySortedMap();

    NodePortSockets(TcpListeners shared, ConnectionCounters counters) {
        this.shared = shared;
        this.counters = counters;
    }

    /** Those that are open. Any thread. */
    List<InetSocketAddress> addresses() {
        return sockets.values().stream().map(AcceptingSocket::address).toList();
    }

    /** Which could not be opened, and why. Any thread. */
    Optional<String> failure() {
        return failures.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        failures.entrySet().stream()
                                .map(entry -> entry.getKey() + ": " + entry.getValue())
                                .collect(Collectors.joining(", ", "NodePort ", "")));
    }

    /** Closes what the Service port has no more, and opens what it has and is not open yet. */
    void update(ServicePort servicePort, Backends backends) {
        Map<FrontEnd, FrontEndKind> kinds = servicePort.kinds();
        for (Iterator<Map.Entry<FrontEnd, AcceptingSocket>> each = sockets.entrySet().iterator();
                each.hasNext(); ) {
            Map.Entry<FrontEnd, AcceptingSocket> open = each.next();
            if (kinds.get(open.getKey()) != FrontEndKind.NODE_PORT) {
                open.getValue().close();
                each.remove();
            }
        }
        SortedMap<FrontEnd, String> failed = new TreeMap<>();
        kinds.forEach(
                (frontEnd, kind) -> {
                    if (kind == FrontEndKind.NODE_PORT) {
                        try {
                            serve(frontEnd, backends);
                        } catch (IOException e) {
                            failed.put(frontEnd, String.valueOf(e.getMessage()));
                        }
                    }
                });
        failures = Collections.unmodifiableSortedMap(failed);
    }

    private void serve(FrontEnd frontEnd, Backends backends) throws IOException {
        Entrance entrance = backends.entrance(frontEnd);
        boolean usable = entrance != null && entrance.isOpen();
        AcceptingSocket socket = sockets.get(frontEnd);
        if (socket == null) {
            socket = shared.bindNodePort(frontEnd, backends, counters);
        }
        try {
            socket.update(backends, usable);
            sockets.put(frontEnd, socket);
        } catch (IOException e) {
            sockets.remove(frontEnd);
            socket.close();
            throw e;
        }
    }

    void close() {
        sockets.values().forEach(AcceptingSocket::close);
        sockets.clear();
    }
}
