package dev.sluice.netty;

import dev.sluice.model.Endpoint;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.IoEventLoop;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.DatagramPacket;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.util.List;

/**
 * The socket of a session to its endpoint. It is connected, so that nobody else can answer and the
 * kernel tells when nobody listens there.
 *
 * <p>Threads: its event loop only.
 */
final class UdpUpstream {
    /** How the C library names the want of descriptors, local ports and memory. */
    private static final List<String> SHORTAGES =
            List.of(
                    "Too many open files",
                    "Resource temporarily unavailable",
                    "Address already in use",
                    "No buffer space available",
                    "Cannot allocate memory");

    private final UdpSession session;
    private final UdpChannel socket;

    private UdpUpstream(UdpSession session, UdpChannel socket) {
        this.session = session;
        this.socket = socket;
    }

    /**
     * Makes the socket.
     *
     * @throws IOException if this node has none, or no way there
     */
    static UdpUpstream connect(
            IoEventLoop loop, NettyTransport transport, UdpSession session, Endpoint endpoint)
            throws IOException {
        InetSocketAddress remote =
                new InetSocketAddress(endpoint.address().toInetAddress(), endpoint.port());
        UdpUpstream upstream = new UdpUpstream(session, transport.newUdpChannel(remote));
        Channel channel = upstream.socket.channel();
        try {
            requireDone(
                    new Bootstrap()
                            .group(loop)
                            .channelFactory(() -> channel)
                            .handler(upstream.new Answers())
                            .register());
            requireDone(channel.connect(remote));
        } catch (IOException | RuntimeException | Error e) {
            upstream.close();
            throw e;
        }
        return upstream;
    }

    /** On its event loop, Netty does what needs no answer from elsewhere at once. */
    private static void requireDone(ChannelFuture future) throws IOException {
        if (!future.isSuccess()) {
            Throwable cause = future.cause();
            throw cause instanceof IOException e
                    ? e
                    : new IOException("the event loop took no socket", cause);
        }
    }

    /** Whether a socket could not be made since there are too many. */
    static boolean isShortage(IOException cause) {
        String message = String.valueOf(cause.getMessage());
        return SHORTAGES.stream().anyMatch(message::contains);
    }

    /**
     * Sends a datagram; takes the buffer over.
     *
     * @throws PortUnreachableException if nobody listened there when an earlier one came; this one
     *     was not sent
     * @throws IOException if it was not sent for another reason
     */
    void send(ByteBuf data) throws IOException {
        if (!channel().isWritable()) {
            data.release();
            throw new IOException("the socket is full");
        }
        if (!data.isReadable()) {
            data.release();
            sendNothing();
            return;
        }
        ChannelFuture written = channel().writeAndFlush(data);
        if (!written.isDone()) {
            written.addListener(
                    later -> {
                        if (!later.isSuccess()) {
                            session.failed(this, later.cause());
                        }
                    });
        } else if (!written.isSuccess()) {
            throw failure(written.cause());
        }
    }

    private void sendNothing() throws IOException {
        try {
            socket.empty().send(null);
        } catch (IOException e) {
            throw failure(e);
        }
    }

    /** What the kernel tells at a write has a name of its own in the native library. */
    private static IOException failure(Throwable cause) {
        if (cause instanceof PortUnreachableException e) {
            return e;
        }
        if (String.valueOf(cause.getMessage()).contains("Connection refused")) {
            PortUnreachableException unreachable = new PortUnreachableException(cause.getMessage());
            unreachable.initCause(cause);
            return unreachable;
        }
        return cause instanceof IOException e ? e : new IOException(cause);
    }

    Channel channel() {
        return socket.channel();
    }

    void close() {
        var unused = channel().close();
    }

    private final class Answers extends SimpleChannelInboundHandler<DatagramPacket> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, DatagramPacket packet) {
            session.answered(UdpUpstream.this, packet.content());
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            session.socket().flush();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            session.failed(UdpUpstream.this, cause instanceof IOException ? failure(cause) : cause);
        }
    }
}
