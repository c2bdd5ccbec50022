package dev.sluice.kubernetes;

import dev.sluice.model.IpAddress;
import dev.sluice.model.SourceRanges;
import dev.sluice.model.TrafficPolicy;
import java.util.List;

/**
 * What a Service says about clients that do not ask for its ClusterIPs.
 *
 * <p>Immutable; any thread.
 *
 * @param nodePorts whether the NodePorts of its ports are served
 * @param loadBalancerIps those with {@code ipMode} VIP
 * @param externalIps those that the settings allow
 * @param policy {@code spec.externalTrafficPolicy}
 * @param sourceRanges {@code spec.loadBalancerSourceRanges}
 * @param healthCheckPort {@code spec.healthCheckNodePort}, 1 to 65535; 0: none
 */
record ExternalDefinition(
        boolean nodePorts,
        List<IpAddress> loadBalancerIps,
        List<IpAddress> externalIps,
        TrafficPolicy policy,
        SourceRanges sourceRanges,
        int healthCheckPort) {
    /** There is no other way than the ClusterIPs. */
    static final ExternalDefinition CLOSED =
            new ExternalDefinition(
                    false, List.of(), List.of(), TrafficPolicy.CLUSTER, SourceRanges.ANY, 0);

    ExternalDefinition {
        loadBalancerIps = loadBalancerIps.stream().distinct().toList();
        externalIps = externalIps.stream().distinct().toList();
    }
}
