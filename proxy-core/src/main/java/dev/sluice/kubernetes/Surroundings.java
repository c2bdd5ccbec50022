package dev.sluice.kubernetes;

import dev.sluice.model.Endpoint;
import dev.sluice.model.FrontEnd;
import dev.sluice.model.IpAddress;
import dev.sluice.model.Protocol;
import java.util.Optional;
import java.util.Set;

/**
 * What the Service ports of one Service depend on besides its own objects.
 *
 * <p>Immutable; any thread.
 *
 * @param clusterIps of all Services
 */
record Surroundings(NodeContext node, FrontEndClaims claims, Set<IpAddress> clusterIps) {
    /** No other Service, on a node of which nothing is known. */
    static final Surroundings NONE =
            new Surroundings(NodeContext.UNKNOWN, FrontEndClaims.NONE, Set.of());

    /** Why an endpoint leads back to the proxy. */
    Optional<String> loop(Endpoint endpoint, Protocol protocol) {
        if (clusterIps.contains(endpoint.address())) {
            return Optional.of("the ClusterIP of a Service");
        }
        FrontEnd same = new FrontEnd(endpoint.address(), endpoint.port(), protocol);
        return Optional.ofNullable(claims.owners().get(same)).map(name -> "served for " + name);
    }
}
