package dev.sluice.model;

import java.util.List;

/**
 * How a Service port is reached other than by its ClusterIPs.
 *
 * <p>Immutable; any thread.
 *
 * @param nodePort {@code spec.ports[].nodePort}, 1 to 65535; 0: none
 * @param nodeAddresses addresses of this node that the NodePort is served on, in ascending order
 * @param loadBalancerIps {@code status.loadBalancer.ingress[].ip} with {@code ipMode} VIP
 * @param externalIps {@code spec.externalIPs}, as far as they are allowed
 * @param policy {@code spec.externalTrafficPolicy}
 * @param sourceRanges who may use {@code loadBalancerIps} and {@code externalIps}
 */
public record ExternalAccess(
        int nodePort,
        List<IpAddress> nodeAddresses,
        List<IpAddress> loadBalancerIps,
        List<IpAddress> externalIps,
        TrafficPolicy policy,
        SourceRanges sourceRanges) {
    /** The ClusterIPs are the only way. */
    public static final ExternalAccess NONE =
            new ExternalAccess(
                    0, List.of(), List.of(), List.of(), TrafficPolicy.CLUSTER, SourceRanges.ANY);

    public ExternalAccess {
        if (nodePort != 0) {
            Ports.check(nodePort);
        }
        nodeAddresses = nodePort == 0 ? List.of() : sorted(nodeAddresses);
        loadBalancerIps = sorted(loadBalancerIps);
        externalIps = sorted(externalIps);
    }

    /** Clients reach the NodePort on these addresses of the node. */
    public static ExternalAccess nodePort(
            int nodePort, List<IpAddress> nodeAddresses, TrafficPolicy policy) {
        return new ExternalAccess(
                nodePort, nodeAddresses, List.of(), List.of(), policy, SourceRanges.ANY);
    }

    private static List<IpAddress> sorted(List<IpAddress> addresses) {
        return addresses.stream().sorted().distinct().toList();
    }
}
