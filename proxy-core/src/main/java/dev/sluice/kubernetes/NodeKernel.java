package dev.sluice.kubernetes;

import dev.sluice.model.Cidr;
import dev.sluice.redirect.NodeAddresses;
import dev.sluice.redirect.NodeRoutes;
import java.io.IOException;
import java.util.List;
import java.util.function.Predicate;

/**
 * What the kernel of this node says of its network, at the moment of the call.
 *
 * <p>Threads: any.
 */
interface NodeKernel {
    /** The one that this process runs on. */
    NodeKernel OWN =
            new NodeKernel() {
                @Override
                public NodeAddresses addresses() throws IOException {
                    return NodeAddresses.read();
                }

                @Override
                public List<Cidr> routedThrough(Predicate<String> interfaceName)
                        throws IOException {
                    return NodeRoutes.through(interfaceName);
                }
            };

    /**
     * As {@link NodeAddresses#read}.
     *
     * @throws IOException if the kernel doesn't tell
     */
    NodeAddresses addresses() throws IOException;

    /**
     * As {@link NodeRoutes#through}.
     *
     * @throws IOException if the kernel doesn't tell
     */
    List<Cidr> routedThrough(Predicate<String> interfaceName) throws IOException;
}
