package dev.sluice.redirect;

import dev.sluice.model.FrontEnd;
import dev.sluice.model.IpAddress;
import dev.sluice.model.Protocol;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.channels.DatagramChannel;
import java.nio.channels.NetworkChannel;
import java.nio.channels.SocketChannel;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A local TCP port at which nobody listens and nobody else can, so the kernel resets whoever comes;
 * and a UDP port that is connected to itself, so the kernel tells whoever else sends there, to
 * whichever address of the node, that nobody is there.
 *
 * <p>That is how a front end is refused: what answers is the node's own TCP, at once, and through
 * connection tracking, so the reset comes from the front end. A REJECT rule behind NAT does worse:
 * its resets pass by NAT where {@code br_netfilter} is in use, and its ICMP is limited to one a
 * second for a client and, over IPv6, often comes before the client's socket can take it.
 *
 * <p>Threads: control thread only.
 */
final class RefusingPort {
    private final HeldPort<SocketChannel> connections =
            new HeldPort<>("connections", RefusingPort::bind);
    private final HeldPort<DatagramChannel> datagrams =
            new HeldPort<>("datagrams", RefusingPort::bindToItself);

    /** Makes a channel that has a port; 0 is any. */
    private interface Binding<C extends NetworkChannel> {
        C at(int port) throws IOException;
    }

    /** A port that is bound from the first need on. */
    private static final class HeldPort<C extends NetworkChannel> {
        private final String refused;
        private final Binding<C> binding;
        private @Nullable C channel;

        /** 0: any. */
        private int preferred;

        HeldPort(String refused, Binding<C> binding) {
            this.refused = refused;
            this.binding = binding;
        }

        int number() throws RedirectException {
            try {
                if (channel == null) {
                    channel = bound();
                }
                return ((InetSocketAddress) channel.getLocalAddress()).getPort();
            } catch (IOException e) {
                throw new RedirectException(
                        "no port to refuse " + refused + " at: " + e.getMessage(), e);
            }
        }

        private C bound() throws IOException {
            try {
                return binding.at(preferred);
            } catch (IOException e) {
                // Somebody has taken it meanwhile.
                return binding.at(0);
            }
        }

        void release() {
            if (channel != null) {
                try {
                    channel.close();
                } catch (IOException ignored) {
                    // Whatever close says, the descriptor is gone.
                }
                channel = null;
            }
        }
    }

    /**
     * Makes those ports the first choice that rules lead to already, so that rules which outlived
     * their process fit.
     */
    void prefer(SavedTable nat) {
        connections.preferred = nat.refusingPort(Protocol.TCP);
        datagrams.preferred = nat.refusingPort(Protocol.UDP);
    }

    /**
     * Where everything of one family shall lead.
     *
     * @param node address of the node; empty: no other ports can be refused
     * @throws RedirectException if something is refused and no port could be bound
     */
    NatTargets targets(RuleSet rules, Optional<IpAddress> node) throws RedirectException {
        return new NatTargets(redirects(rules), closed(rules, node));
    }

    private SortedMap<FrontEnd, RedirectTarget> redirects(RuleSet rules) throws RedirectException {
        if (rules.refused().isEmpty()) {
            return rules.redirects();
        }
        RedirectTarget port = RedirectTarget.port(connections.number());
        SortedMap<FrontEnd, RedirectTarget> destinations = new TreeMap<>(rules.redirects());
        rules.refused().forEach(frontEnd -> destinations.put(frontEnd, port));
        return destinations;
    }

    private Optional<ClosedPorts> closed(RuleSet rules, Optional<IpAddress> node)
            throws RedirectException {
        if (rules.closed().isEmpty() || node.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(
                new ClosedPorts(
                        rules.closed(),
                        RedirectTarget.socket(node.get(), connections.number()),
                        RedirectTarget.socket(node.get(), datagrams.number())));
    }

    /** Bound, which keeps others away, and never made to listen. */
    private static SocketChannel bind(int port) throws IOException {
        SocketChannel channel = SocketChannel.open();
        try {
            return channel.bind(new InetSocketAddress(port));
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    private static DatagramChannel bindToItself(int port) throws IOException {
        DatagramChannel channel = DatagramChannel.open(StandardProtocolFamily.INET);
        try {
            channel.bind(new InetSocketAddress(IpAddress.parse("127.0.0.1").toInetAddress(), port));
            return channel.connect(channel.getLocalAddress());
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    /** Gives the ports up, once no rule leads to them. A later need binds others. */
    void release() {
        connections.release();
        datagrams.release();
    }
}
