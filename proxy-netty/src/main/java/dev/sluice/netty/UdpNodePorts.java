package dev.sluice.netty;

import dev.sluice.model.FrontEnd;
import dev.sluice.model.FrontEndKind;
import dev.sluice.model.ServicePort;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * The sockets of a UDP Service port's NodePort, one on each address of the node that it is served
 * on, as {@link NodePortSockets} are of TCP.
 *
 * <p>Threads: control thread only, except {@link #addresses}.
 */
final class UdpNodePorts {
    private final UdpListeners shared;
    private final ConnectionCounters counters;
    private final Map<FrontEnd, UdpSocket> sockets = new ConcurrentSkipListMap<>();

    UdpNodePorts(UdpListeners shared, ConnectionCounters counters) {
        this.shared = shared;
        this.counters = counters;
    }

    /** Those that are open. Any thread. */
    List<InetSocketAddress> addresses() {
        return sockets.values().stream().map(UdpSocket::address).toList();
    }

    /**
     * Closes what the Service port has no more, and opens what it has and is not open yet.
     *
     * @param failures gets what could not be opened, and why
     */
    void update(ServicePort next, Map<String, String> failures) {
        Map<FrontEnd, FrontEndKind> kinds = next.kinds();
        sockets.forEach(
                (frontEnd, socket) -> {
                    if (kinds.get(frontEnd) != FrontEndKind.NODE_PORT) {
                        sockets.remove(frontEnd);
                        socket.close();
                    }
                });
        kinds.forEach(
                (frontEnd, kind) -> {
                    if (kind == FrontEndKind.NODE_PORT) {
                        try {
                            serve(next, frontEnd);
                        } catch (IOException e) {
                            failures.put("NodePort " + frontEnd, String.valueOf(e.getMessage()));
                        }
                    }
                });
    }

    private void serve(ServicePort next, FrontEnd frontEnd) throws IOException {
        UdpRoutes routes =
                UdpRoutes.of(
                        next,
                        FrontEndKind.NODE_PORT,
                        frontEnd.address().family(),
                        shared.selectors());
        UdpSocket socket = sockets.get(frontEnd);
        if (socket == null) {
            sockets.put(
                    frontEnd,
                    UdpSocket.bind(
                            shared.nextLoop(),
                            UdpListener.at(frontEnd.address(), frontEnd.port()),
                            routes,
                            counters));
            return;
        }
        try {
            socket.update(routes);
        } catch (IOException e) {
            sockets.remove(frontEnd);
            socket.close();
            throw e;
        }
    }

    void close() {
        sockets.values().forEach(UdpSocket::close);
        sockets.clear();
    }
}
