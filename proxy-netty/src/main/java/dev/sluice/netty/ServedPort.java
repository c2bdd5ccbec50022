package dev.sluice.netty;

import dev.sluice.model.ServicePort;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * A Service port that has a listener.
 *
 * <p>Immutable, but for what the counters count; any thread.
 *
 * @param servicePort the value that is served now
 * @param address where the listener is bound
 * @param nodePorts the sockets of its NodePort that are open
 * @param accepting whether it takes connections; otherwise it refuses them, for want of endpoints
 * @param counters of its connections
 * @param hasPlace whether it is among the limited number that is shown one by one in metrics
 */
public record ServedPort(
        ServicePort servicePort,
        InetSocketAddress address,
        List<InetSocketAddress> nodePorts,
        boolean accepting,
        ConnectionCounters counters,
        boolean hasPlace) {
    public ServedPort {
        nodePorts = List.copyOf(nodePorts);
    }
}
