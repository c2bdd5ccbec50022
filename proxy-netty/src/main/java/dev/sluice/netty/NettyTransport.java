package dev.sluice.netty;

import dev.sluice.config.ProxyConfig;
import dev.sluice.model.Endpoint;
import io.netty.channel.IoHandlerFactory;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Locale;

/**
 * How sockets reach the event loops: {@link EpollTransport} on Linux, {@link NioTransport} on any
 * JVM.
 *
 * <p>Immutable; any thread.
 */
sealed interface NettyTransport permits EpollTransport, NioTransport {
    /** {@code epoll} or {@code nio}. */
    String name();

    /**
     * Whether the destination of redirected connections can be asked for; without it no redirect
     * can be served.
     */
    boolean knowsOriginalDestination();

    /** Makes the part of an event loop that waits for events. */
    IoHandlerFactory ioHandlerFactory();

    /**
     * Binds a port by its number (with port 0 the kernel would not keep it through a refusal); it
     * refuses connections until {@link ListenSocket#listen}.
     *
     * @throws java.net.BindException if the port is taken
     * @throws IOException for any other reason
     */
    ListenSocket bind(InetSocketAddress address) throws IOException;

    /**
     * Begins to connect; {@link StreamSocket#finishConnect} tells how it ends.
     *
     * @throws IOException if the kernel refuses at once
     */
    StreamSocket connect(Endpoint endpoint) throws IOException;

    /**
     * A UDP socket of the family of an address, not bound yet.
     *
     * @throws IOException if there is no descriptor for it
     */
    UdpChannel newUdpChannel(InetSocketAddress address) throws IOException;

    /**
     * A descriptor that is held for nothing but to be let go of when there is no other.
     *
     * @throws IOException if there is none
     */
    Closeable spareDescriptor() throws IOException;

    /** epoll where its native library loads, else NIO. */
    static NettyTransport best() {
        return EpollTransport.isAvailable() ? new EpollTransport() : new NioTransport();
    }

    /**
     * The transport that the settings ask for.
     *
     * @throws IllegalStateException if it is not available, or can't serve redirected connections
     */
    static NettyTransport of(ProxyConfig config) {
        NettyTransport transport =
                switch (config.transport().kind()) {
                    case AUTO -> best();
                    case EPOLL -> EpollTransport.required();
                    case NIO -> new NioTransport();
                };
        ProxyConfig.Redirect.Mode redirect = config.redirect().mode();
        if (redirect != ProxyConfig.Redirect.Mode.NONE && !transport.knowsOriginalDestination()) {
            throw new IllegalStateException(
                    "redirect.mode "
                            + redirect.name().toLowerCase(Locale.ROOT)
                            + " needs native epoll (Linux), and the transport is "
                            + transport.name()
                            + ": the destination of redirected connections can't be asked for."
                            + " Run with redirect.mode none, or with transport.kind epoll to see"
                            + " why it does not load");
        }
        return transport;
    }
}
