package dev.sluice.kubernetes;

import dev.sluice.config.NodePortAddresses;
import dev.sluice.config.NodePortAddresses.Keyword;
import dev.sluice.config.ProxyConfig;
import dev.sluice.config.ProxyConfig.DetectLocal;
import dev.sluice.config.ProxyConfig.DetectLocal.Detection;
import dev.sluice.model.Cidr;
import dev.sluice.model.IpAddress;
import dev.sluice.model.LocalSources;
import dev.sluice.redirect.NodeAddresses;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Puts together what settings, kernel and Node object say of the node that the proxy runs on. The
 * kernel is asked each time, since interfaces come and go without an event of the API; what it said
 * last counts while it does not answer.
 *
 * <p>Threads: one at a time.
 */
final class OwnNode {
    private final String name;
    private final DetectLocal detectLocal;
    private final NodePortAddresses nodePorts;
    private final NodeKernel kernel;
    private NodeAddresses lastAddresses = new NodeAddresses(List.of(), List.of());
    private List<Cidr> lastRouted = List.of();

    OwnNode(String name, DetectLocal detectLocal, NodePortAddresses nodePorts, NodeKernel kernel) {
        this.name = name;
        this.detectLocal = detectLocal;
        this.nodePorts = nodePorts;
        this.kernel = kernel;
    }

    /** The node of this process. */
    static OwnNode of(ProxyConfig config) {
        return new OwnNode(
                NodeName.of(config.node().name(), System.getenv()),
                config.node().detectLocal(),
                config.nodePorts().addresses(),
                NodeKernel.OWN);
    }

    /** As the cluster knows it. */
    String name() {
        return name;
    }

    /** Whether the settings need {@code spec.podCIDRs}, and the Node has none yet. */
    boolean lacksPodCidrs(Optional<NodeFacts> node) {
        return detectLocal.mode() == Detection.NODE_CIDR
                && node.map(NodeFacts::podCidrs).orElse(List.of()).isEmpty();
    }

    /**
     * The node as it is now.
     *
     * @param node what its object says; empty if that is not known
     */
    NodeContext now(Optional<NodeFacts> node, ObjectProblems problems) {
        try {
            lastAddresses = kernel.addresses();
        } catch (IOException e) {
            problems.add("addresses", null, "can't be read from the kernel: " + e);
        }
        return new NodeContext(
                name,
                node.flatMap(NodeFacts::zone),
                lastAddresses.all().stream().filter(this::isForNodePorts).toList(),
                new LocalSources(pods(node, problems), Set.copyOf(lastAddresses.all())));
    }

    private boolean isForNodePorts(IpAddress address) {
        Set<Keyword> keywords = nodePorts.keywords();
        return keywords.contains(Keyword.ALL)
                || (keywords.contains(Keyword.LOCALHOST) && address.isLoopback())
                || (keywords.contains(Keyword.PRIMARY) && lastAddresses.primary().contains(address))
                || nodePorts.ranges().stream().anyMatch(range -> range.contains(address));
    }

    private List<Cidr> pods(Optional<NodeFacts> node, ObjectProblems problems) {
        return switch (detectLocal.mode()) {
            case NONE -> List.of();
            case CLUSTER_CIDR -> detectLocal.clusterCidrs();
            case NODE_CIDR -> {
                if (lacksPodCidrs(node)) {
                    problems.add(
                            "spec.podCIDRs",
                            null,
                            "is missing, and node.detect-local.mode is node-cidr");
                }
                yield node.map(NodeFacts::podCidrs).orElse(List.of());
            }
            case BRIDGE_INTERFACE ->
                    routed(
                            name -> detectLocal.bridgeInterface().equals(Optional.of(name)),
                            problems);
            case INTERFACE_NAME_PREFIX ->
                    routed(
                            name ->
                                    detectLocal
                                            .interfaceNamePrefix()
                                            .filter(name::startsWith)
                                            .isPresent(),
                            problems);
        };
    }

    private List<Cidr> routed(Predicate<String> interfaceName, ObjectProblems problems) {
        try {
            lastRouted = kernel.routedThrough(interfaceName);
        } catch (IOException e) {
            problems.add("routes", null, "can't be read from the kernel: " + e);
        }
        return lastRouted;
    }
}
