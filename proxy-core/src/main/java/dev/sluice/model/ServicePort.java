package dev.sluice.model;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One port of one Service with all that is needed to serve it.
 *
 * <p>Immutable; any thread.
 *
 * @param name the key
 * @param clusterIps {@code spec.clusterIPs}, first family first; one or two
 * @param port {@code spec.ports[].port}, 1 to 65535
 * @param affinity {@code spec.sessionAffinity}
 * @param endpoints {@link EndpointSet#CLUSTER}: the endpoints that new connections may use, both
 *     families, without duplicates, in ascending order; an address of one family never serves a
 *     front end of the other
 * @param localEndpoints {@link EndpointSet#LOCAL}: the same of this node; empty when no policy asks
 *     for them
 * @param internalPolicy {@code spec.internalTrafficPolicy}
 * @param external the ways other than the ClusterIPs
 */
public record ServicePort(
        ServicePortName name,
        List<IpAddress> clusterIps,
        int port,
        SessionAffinity affinity,
        List<Endpoint> endpoints,
        List<Endpoint> localEndpoints,
        TrafficPolicy internalPolicy,
        ExternalAccess external) {

    public ServicePort {
        Ports.check(port);
        if (clusterIps.isEmpty()) {
            throw new IllegalArgumentException(name + " has no ClusterIP");
        }
        clusterIps = List.copyOf(clusterIps);
        endpoints = endpoints.stream().sorted().distinct().toList();
        localEndpoints = localEndpoints.stream().sorted().distinct().toList();
    }

    /** A Service port that is reached by its ClusterIPs alone, with policy {@code Cluster}. */
    public ServicePort(
            ServicePortName name,
            List<IpAddress> clusterIps,
            int port,
            SessionAffinity affinity,
            List<Endpoint> endpoints) {
        this(
                name,
                clusterIps,
                port,
                affinity,
                endpoints,
                List.of(),
                TrafficPolicy.CLUSTER,
                ExternalAccess.NONE);
    }

    /** What clients ask for: ClusterIPs in their order, then the others by their kinds. */
    public List<FrontEnd> frontEnds() {
        return List.copyOf(kinds().keySet());
    }

    /**
     * All front ends with their kinds, in the order of {@link #frontEnds()}. An address that stands
     * in several lists has the first kind: ClusterIP, NodePort, load balancer, external.
     */
    public Map<FrontEnd, FrontEndKind> kinds() {
        Map<FrontEnd, FrontEndKind> kinds = new LinkedHashMap<>();
        add(kinds, FrontEndKind.CLUSTER_IP, clusterIps, port);
        add(kinds, FrontEndKind.NODE_PORT, external.nodeAddresses(), external.nodePort());
        add(kinds, FrontEndKind.LOAD_BALANCER_IP, external.loadBalancerIps(), port);
        add(kinds, FrontEndKind.EXTERNAL_IP, external.externalIps(), port);
        return Collections.unmodifiableMap(kinds);
    }

    private void add(
            Map<FrontEnd, FrontEndKind> kinds,
            FrontEndKind kind,
            List<IpAddress> addresses,
            int number) {
        addresses.forEach(
                address -> kinds.putIfAbsent(new FrontEnd(address, number, name.protocol()), kind));
    }

    /** The cluster's endpoints of one family, in ascending order. */
    public List<Endpoint> endpoints(IpFamily family) {
        return endpoints(EndpointSet.CLUSTER, family);
    }

    /** The endpoints of one set and family, in ascending order. */
    public List<Endpoint> endpoints(EndpointSet set, IpFamily family) {
        return all(set).stream().filter(endpoint -> endpoint.address().family() == family).toList();
    }

    /** Whether a connection to this front end's family can go anywhere now. */
    public boolean hasEndpoints(IpFamily family) {
        return hasEndpoints(EndpointSet.CLUSTER, family);
    }

    private boolean hasEndpoints(EndpointSet set, IpFamily family) {
        return all(set).stream().anyMatch(endpoint -> endpoint.address().family() == family);
    }

    private List<Endpoint> all(EndpointSet set) {
        return set == EndpointSet.CLUSTER ? endpoints : localEndpoints;
    }

    /**
     * Which endpoints a client may use: with policy {@code Local} those of this node, except that
     * external addresses are the whole Service to clients on this node.
     */
    public EndpointSet endpointSet(FrontEndKind kind, ClientPlace place) {
        if (!kind.isExternal()) {
            return internalPolicy == TrafficPolicy.LOCAL ? EndpointSet.LOCAL : EndpointSet.CLUSTER;
        }
        return external.policy() == TrafficPolicy.LOCAL && place == ClientPlace.ELSEWHERE
                ? EndpointSet.LOCAL
                : EndpointSet.CLUSTER;
    }

    /** What becomes of a new connection, whatever {@link SourceRanges} say. */
    public Answer answer(FrontEndKind kind, IpFamily family, ClientPlace place) {
        if (hasEndpoints(endpointSet(kind, place), family)) {
            return Answer.SERVE;
        }
        return hasEndpoints(EndpointSet.CLUSTER, family) ? Answer.DROP : Answer.REFUSE;
    }

    /** Who may use front ends of a kind. */
    public SourceRanges sourceRanges(FrontEndKind kind) {
        return kind == FrontEndKind.LOAD_BALANCER_IP || kind == FrontEndKind.EXTERNAL_IP
                ? external.sourceRanges()
                : SourceRanges.ANY;
    }
}
