package dev.sluice.redirect;

import dev.sluice.model.IpAddress;
import dev.sluice.model.IpFamily;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The addresses of this node at one moment.
 *
 * <p>Immutable; any thread.
 *
 * @param all those of all interfaces, loopback included and link-local ones not, in ascending order
 * @param primary the node's own one of each family: of the interface with the default route, if
 *     there is one; in ascending order
 */
public record NodeAddresses(List<IpAddress> all, List<IpAddress> primary) {

    public NodeAddresses {
        all = sorted(all);
        primary = sorted(primary);
    }

    private static List<IpAddress> sorted(List<IpAddress> addresses) {
        return addresses.stream().sorted().distinct().toList();
    }

    /**
     * Asks the kernel about the network namespace of this process.
     *
     * @throws IOException if it doesn't tell
     */
    public static NodeAddresses read() throws IOException {
        NodeNetwork network = NodeNetworkReader.read();
        return new NodeAddresses(
                NodeNetworkReader.addresses(),
                Arrays.stream(IpFamily.values())
                        .map(network::address)
                        .flatMap(Optional::stream)
                        .toList());
    }
}
