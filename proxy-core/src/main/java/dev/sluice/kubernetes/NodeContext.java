package dev.sluice.kubernetes;

import dev.sluice.model.IpAddress;
import dev.sluice.model.LocalSources;
import java.util.List;
import java.util.Optional;

/**
 * The node that the proxy runs on, as far as Services depend on it.
 *
 * <p>Immutable; any thread.
 *
 * @param name as {@code endpoints[].nodeName} of EndpointSlices has it; empty: no endpoint is local
 * @param zone label {@code topology.kubernetes.io/zone} of the Node
 * @param nodePortAddresses addresses of the node that NodePorts are served on, in ascending order
 * @param localSources which clients are on this node
 */
record NodeContext(
        String name,
        Optional<String> zone,
        List<IpAddress> nodePortAddresses,
        LocalSources localSources) {
    /** Nothing is known: no NodePorts, no local endpoints, no topology. */
    static final NodeContext UNKNOWN =
            new NodeContext("", Optional.empty(), List.of(), LocalSources.NONE);

    NodeContext {
        nodePortAddresses = nodePortAddresses.stream().sorted().distinct().toList();
    }

    /** What Service ports depend on: pods that come and go here are no reason to look at them. */
    NodeContext withoutClients() {
        return new NodeContext(name, zone, nodePortAddresses, LocalSources.NONE);
    }

    boolean isNamed(String nodeName) {
        return !name.isEmpty() && name.equals(nodeName);
    }
}
