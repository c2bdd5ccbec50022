package dev.sluice.redirect;

import dev.sluice.config.ProxyConfig;
import dev.sluice.model.IpAddress;
import dev.sluice.model.IpFamily;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the tables shall hold on this node, with its addresses and interfaces of the moment.
 *
 * <p>Threads: control thread only.
 */
final class NodeTables {
    private static final Logger LOG = LoggerFactory.getLogger(NodeTables.class);

    private final ProxyConfig.Redirect settings;
    private final NodeNetwork.Source source;
    private List<String> oddInterfaces = List.of();

    NodeTables(ProxyConfig.Redirect settings, NodeNetwork.Source source) {
        this.settings = settings;
        this.source = source;
    }

    /**
     * @throws RedirectException if the interfaces could not be read
     */
    NodeNetwork network() throws RedirectException {
        NodeNetwork network;
        try {
            network = source.read();
        } catch (IOException e) {
            throw new RedirectException("the node's interfaces could not be read: " + e, e);
        }
        List<String> odd =
                network.interfaces().stream()
                        .filter(candidate -> !candidate.hasPlainName())
                        .map(NodeInterface::name)
                        .toList();
        if (!odd.isEmpty() && !odd.equals(oddInterfaces)) {
            LOG.warn("no rule names these interfaces, their names are odd: {}", odd);
        }
        oddInterfaces = odd;
        return network;
    }

    /** Where packets go that come in through an interface without an address. */
    Optional<IpAddress> address(IpFamily family, NodeNetwork network) {
        Optional<IpAddress> configured =
                family == IpFamily.IPV4 ? settings.address4() : settings.address6();
        return configured.or(() -> network.address(family));
    }

    TableRules nat(NatTargets targets, IpFamily family, NodeNetwork network) {
        List<String> numbered =
                network.numbered(family).stream()
                        // What comes in through the others goes by DNAT, as well.
                        .filter(NodeInterface::hasPlainName)
                        .map(NodeInterface::name)
                        .toList();
        return NatRules.of(targets, numbered, address(family, network));
    }
}
