package dev.sluice.redirect;

import dev.sluice.model.FrontEnd;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A local TCP port at which nobody listens and nobody else can, so the kernel resets whoever comes.
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

    /**
     * The local port that each front end shall lead to.
     *
     * @throws RedirectException if something is refused and no port could be bound
     */
    SortedMap<FrontEnd, RedirectTarget> destinations(RuleSet rules) throws RedirectException {
        if (rules.refused().isEmpty()) {
            return rules.redirects();
        }
        RedirectTarget port = RedirectTarget.port(number());
        SortedMap<FrontEnd, RedirectTarget> destinations = new TreeMap<>(rules.redirects());
        rules.refused().forEach(frontEnd -> destinations.put(frontEnd, port));
        return destinations;
    }

    private int number() throws RedirectException {
        try {
            if (socket == null) {
                socket = bind();
            }
            return ((InetSocketAddress) socket.getLocalAddress()).getPort();
        } catch (IOException e) {
            throw new RedirectException("no port to refuse connections at: " + e.getMessage(), e);
        }
    }

    private static SocketChannel bind() throws IOException {
        SocketChannel channel = SocketChannel.open();
        try {
            return channel.bind(null);
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    /** Gives the port up, once no rule leads to it. A later need binds another one. */
    void release() {
        if (socket != null) {
            try {
                socket.close();
            } catch (IOException ignored) {
                // Whatever close says, the descriptor is gone.
            }
            socket = null;
        }
    }
}
