package dev.sluice.model;

import java.util.List;

/**
 * What a load balancer is told about a Service with {@code externalTrafficPolicy: Local} when it
 * asks this node ({@code spec.healthCheckNodePort}).
 *
 * <p>Immutable; any thread.
 *
 * @param port where it asks, 1 to 65535
 * @param addresses addresses of this node that answer there: those of NodePorts
 * @param localEndpoints number of ready pods on this node, over all ports of the Service: the
 *     addresses of the family that has more of them; 0 or more
 */
public record HealthCheck(
        ServiceName service, int port, List<IpAddress> addresses, int localEndpoints) {

    public HealthCheck {
        Ports.check(port);
        addresses = addresses.stream().sorted().distinct().toList();
        if (localEndpoints < 0) {
            throw new IllegalArgumentException("localEndpoints " + localEndpoints);
        }
    }
}
