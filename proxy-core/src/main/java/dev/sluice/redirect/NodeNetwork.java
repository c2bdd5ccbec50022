package dev.sluice.redirect;

import dev.sluice.model.IpAddress;
import dev.sluice.model.IpFamily;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Interfaces and addresses of the node at one moment.
 *
 * <p>Immutable; any thread.
 *
 * @param interfaces all that carry a usable address, by index
 * @param defaultInterfaces name of the interface of the default route, by family
 * @param ipv6 whether the kernel speaks IPv6 at all
 */
record NodeNetwork(
        List<NodeInterface> interfaces, Map<IpFamily, String> defaultInterfaces, boolean ipv6) {
    /** Where it is read from. Threads: control thread only. */
    interface Source {
        NodeNetwork read() throws IOException;
    }

    NodeNetwork {
        interfaces =
                interfaces.stream().sorted(Comparator.comparingInt(NodeInterface::index)).toList();
        defaultInterfaces = Map.copyOf(defaultInterfaces);
    }

    /** All usable addresses of all interfaces. */
    List<IpAddress> addresses() {
        return interfaces.stream().flatMap(each -> each.addresses().stream()).toList();
    }

    /** Interfaces but loopback with an address of the family, in order of their names. */
    List<NodeInterface> numbered(IpFamily family) {
        return interfaces.stream()
                .filter(candidate -> !candidate.isLoopback())
                .filter(candidate -> candidate.address(family).isPresent())
                .sorted(Comparator.comparing(NodeInterface::name))
                .toList();
    }

    /**
     * The node's own address of the family: that of the interface with the default route, else the
     * first by interface index. An address on loopback comes last: there it is the node's in a
     * routed network without numbered links, but may as well be one that several nodes share.
     */
    Optional<IpAddress> address(IpFamily family) {
        String preferred = defaultInterfaces.getOrDefault(family, "");
        return interfaces.stream()
                .filter(candidate -> candidate.address(family).isPresent())
                .min(
                        Comparator.comparing(
                                        (NodeInterface candidate) ->
                                                !candidate.name().equals(preferred))
                                .thenComparing(NodeInterface::isLoopback))
                .flatMap(candidate -> candidate.address(family));
    }
}
