package dev.sluice.kubernetes;

import dev.sluice.model.FrontEnd;
import dev.sluice.model.IpAddress;
import dev.sluice.model.ServiceName;
import dev.sluice.model.ServicePortName;
import dev.sluice.model.SessionAffinity;
import java.time.Instant;
import java.util.List;

/**
 * A Service that this proxy serves, checked, without its endpoints.
 *
 * <p>Immutable; any thread.
 *
 * @param clusterIps one, or one of each family, in the order of the object
 * @param created {@link Instant#MAX} when the object does not say
 * @param ports those that can be served; may be empty
 */
record ServiceDefinition(
        ServiceName name,
        Instant created,
        List<IpAddress> clusterIps,
        SessionAffinity affinity,
        List<Port> ports) {

    ServiceDefinition {
        clusterIps = List.copyOf(clusterIps);
        ports = List.copyOf(ports);
    }

    ServicePortName portName(Port port) {
        return new ServicePortName(name, port.key.name(), port.key.protocol());
    }

    List<FrontEnd> frontEnds(Port port) {
        return clusterIps.stream()
                .map(address -> new FrontEnd(address, port.number, port.key.protocol()))
                .toList();
    }

    /**
     * @param index place in {@code spec.ports}
     * @param number 1 to 65535
     */
    record Port(int index, PortKey key, int number) {
        /** The path of the port in its Service. */
        String field() {
            return "spec.ports[" + index + "]";
        }
    }
}
