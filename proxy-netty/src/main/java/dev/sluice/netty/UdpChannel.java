package dev.sluice.netty;

import io.netty.channel.socket.DatagramChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A Netty channel, and a way to send what Netty leaves out: a datagram without any byte.
 *
 * <p>Immutable; {@link Empty} is for the channel's event loop.
 */
record UdpChannel(DatagramChannel channel, Empty empty) {

    /** Sends a datagram of no bytes. */
    @FunctionalInterface
    interface Empty {
        /**
         * Sends it at once, before what waits in the channel.
         *
         * @param to null where the socket is connected
         */
        void send(@Nullable InetSocketAddress to) throws IOException;
    }
}
