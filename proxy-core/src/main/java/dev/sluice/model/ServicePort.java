package dev.sluice.model;

import java.util.List;

/**
 * One port of one Service with all that is needed to serve it.
 *
 * <p>Immutable; any thread.
 *
 * @param name the key
 * @param clusterIps {@code spec.clusterIPs}, first family first; one or two
 * @param port {@code spec.ports[].port}, 1 to 65535
 * @param affinity {@code spec.sessionAffinity}
 * @param endpoints the endpoints that new connections may use, both families, without duplicates,
 *     in ascending order; an address of one family never serves a front end of the other
 */
public record ServicePort(
        ServicePortName name,
        List<IpAddress> clusterIps,
        int port,
        SessionAffinity affinity,
        List<Endpoint> endpoints) {

    public ServicePort {
        Ports.check(port);
        if (clusterIps.isEmpty()) {
            throw new IllegalArgumentException(name + " has no ClusterIP");
        }
        clusterIps = List.copyOf(clusterIps);
        endpoints = endpoints.stream().sorted().distinct().toList();
    }

    /** What clients ask for, in the order of {@link #clusterIps()}. */
    public List<FrontEnd> frontEnds() {
        return clusterIps.stream()
                .map(address -> new FrontEnd(address, port, name.protocol()))
                .toList();
    }

    /** The endpoints of one family, in ascending order. */
    public List<Endpoint> endpoints(IpFamily family) {
        return endpoints.stream()
                .filter(endpoint -> endpoint.address().family() == family)
                .toList();
    }

    /** Whether a connection to this front end's family can go anywhere now. */
    public boolean hasEndpoints(IpFamily family) {
        return endpoints.stream().anyMatch(endpoint -> endpoint.address().family() == family);
    }
}
