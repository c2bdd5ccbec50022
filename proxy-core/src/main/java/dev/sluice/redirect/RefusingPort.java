package dev.sluice.redirect;

import dev.sluice.model.FrontEnd;
import dev.sluice.model.IpAddress;
import dev.sluice.model.Protocol;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.channels.Channel;
import java.nio.channels.DatagramChannel;
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
    /** Bound, which keeps others away, and never made to listen; null while no port is needed. */
    private @Nullable SocketChannel socket;

    /** Connected to itself; null while no port is needed. */
    private @Nullable DatagramChannel datagrams;

    /** 0: any. */
    private int preferredTcp;

    private int preferredUdp;

    /**
     * Makes those ports the first choice that rules lead to already, so that rules which outlived
     * their process fit.
     */
    void prefer(SavedTable nat) {
        preferredTcp = nat.refusingPort(Protocol.TCP);
        preferredUdp = nat.refusingPort(Protocol.UDP);
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
        RedirectTarget port = RedirectTarget.port(tcp());
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
                        RedirectTarget.socket(node.get(), tcp()),
                        RedirectTarget.socket(node.get(), udp())));
    }

    private int tcp() throws RedirectException {
        try {
            if (socket == null) {
                socket = firstThatBinds(preferredTcp, RefusingPort::bind);
            }
            return ((InetSocketAddress) socket.getLocalAddress()).getPort();
        } catch (IOException e) {
            throw new RedirectException("no port to refuse connections at: " + e.getMessage(), e);
        }
    }

    private int udp() throws RedirectException {
        try {
            if (datagrams == null) {
                datagrams = firstThatBinds(preferredUdp, RefusingPort::bindToItself);
            }
            return ((InetSocketAddress) datagrams.getLocalAddress()).getPort();
        } catch (IOException e) {
            throw new RedirectException("no port to refuse datagrams at: " + e.getMessage(), e);
        }
    }

    /** Binds a port. */
    private interface Binding<C extends Channel> {
        C at(int port) throws IOException;
    }

    private static <C extends Channel> C firstThatBinds(int preferred, Binding<C> binding)
            throws IOException {
        try {
            return binding.at(preferred);
        } catch (IOException e) {
            // Somebody has taken it meanwhile.
            return binding.at(0);
        }
    }

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
        close(socket);
        socket = null;
        close(datagrams);
        datagrams = null;
    }

    private static void close(@Nullable Channel channel) {
        if (channel != null) {
            try {
                channel.close();
            } catch (IOException ignored) {
                // Whatever close says, the descriptor is gone.
            }
        }
    }
}
