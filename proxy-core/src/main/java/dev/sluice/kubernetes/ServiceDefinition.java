package dev.sluice.kubernetes;

import dev.sluice.model.FrontEnd;
import dev.sluice.model.FrontEndKind;
import dev.sluice.model.IpAddress;
import dev.sluice.model.ServiceName;
import dev.sluice.model.ServicePortName;
import dev.sluice.model.SessionAffinity;
import dev.sluice.model.TrafficPolicy;
import java.time.Instant;
import java.util.List;

/**
 * A Service that this proxy serves, checked, without its endpoints.
 *
 * <p>Immutable; any thread.
 *
 * @param clusterIps one, or one of each family, in the order of the object
 * @param created {@link Instant#MAX} when the object does not say
 * @param internalPolicy {@code spec.internalTrafficPolicy}
 * @param ports those that can be served; may be empty
 */
record ServiceDefinition(
        ServiceName name,
        Instant created,
        List<IpAddress> clusterIps,
        SessionAffinity affinity,
        TrafficPolicy internalPolicy,
        ExternalDefinition external,
        List<Port> ports) {

    ServiceDefinition {
        clusterIps = List.copyOf(clusterIps);
        ports = List.copyOf(ports);
    }

    ServicePortName portName(Port port) {
        return new ServicePortName(name, port.key.name(), port.key.protocol());
    }

    /** The front ends of one kind that a port asks for, on a node with these addresses. */
    List<FrontEnd> frontEnds(Port port, FrontEndKind kind, List<IpAddress> nodePortAddresses) {
        return switch (kind) {
            case CLUSTER_IP -> frontEnds(clusterIps, port.number, port);
            case NODE_PORT ->
                    external.nodePorts() && port.nodePort != 0
                            ? frontEnds(nodePortAddresses, port.nodePort, port)
                            : List.of();
            case LOAD_BALANCER_IP -> frontEnds(external.loadBalancerIps(), port.number, port);
            case EXTERNAL_IP -> frontEnds(external.externalIps(), port.number, port);
        };
    }

    private static List<FrontEnd> frontEnds(List<IpAddress> addresses, int number, Port port) {
        return addresses.stream()
                .map(address -> new FrontEnd(address, number, port.key.protocol()))
                .toList();
    }

    /**
     * @param index place in {@code spec.ports}
     * @param number 1 to 65535
     * @param nodePort 1 to 65535; 0: none
     */
    record Port(int index, PortKey key, int number, int nodePort) {
        /** The path of the port in its Service. */
        String field() {
            return "spec.ports[" + index + "]";
        }

        /** The path of what makes the port ask for front ends of a kind. */
        String field(FrontEndKind kind) {
            return switch (kind) {
                case CLUSTER_IP -> field() + ".port";
                case NODE_PORT -> field() + ".nodePort";
                case LOAD_BALANCER_IP -> "status.loadBalancer.ingress";
                case EXTERNAL_IP -> "spec.externalIPs";
            };
        }
    }
}
