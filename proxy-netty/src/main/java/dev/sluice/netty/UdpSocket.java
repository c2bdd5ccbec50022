package dev.sluice.netty;

import dev.sluice.model.IpAddress;
import dev.sluice.model.IpFamily;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.DatagramPacket;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.channels.DatagramChannel;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A bound UDP port of a Service port: it hands datagrams to the sessions of its clients, and sends
 * them what endpoints answer, from the address that it is bound to.
 *
 * <p>While no endpoint is left, its clients must hear so, by the kernel's ICMP. Then a socket holds
 * the port that is connected to itself: the kernel takes no datagram of anybody else for it, and
 * nobody else can bind the port.
 *
 * <p>Threads: the control thread binds, updates and closes; the rest its event loop.
 */
final class UdpSocket {
    private static final Logger log = LoggerFactory.getLogger(UdpSocket.class);

    private final UdpLoop loop;
    private final InetSocketAddress address;
    private final ConnectionCounters counters;
    private volatile UdpRoutes routes;
    private volatile @Nullable UdpChannel channel;
    private @Nullable DatagramChannel refusing;

    private UdpSocket(
            UdpLoop loop,
            InetSocketAddress address,
            UdpRoutes routes,
            ConnectionCounters counters) {
        this.loop = loop;
        this.address = address;
        this.routes = routes;
        this.counters = counters;
    }

    /**
     * Binds an address.
     *
     * @throws BindException if another socket has it
     * @throws IOException if it can't be had for another reason
     */
    static UdpSocket bind(
            UdpLoop loop, InetSocketAddress address, UdpRoutes routes, ConnectionCounters counters)
            throws IOException {
        UdpSocket socket = new UdpSocket(loop, address, routes, counters);
        socket.hold();
        socket.update(routes);
        return socket;
    }

    InetSocketAddress address() {
        return address;
    }

    /** Whether datagrams are taken; otherwise their senders hear that nobody is there. */
    boolean isAccepting() {
        return channel != null;
    }

    UdpRoutes routes() {
        return routes;
    }

    ConnectionCounters counters() {
        return counters;
    }

    UdpLoop loop() {
        return loop;
    }

    /**
     * Sends datagrams elsewhere from now on. A session whose endpoint is not among those of the new
     * value gets another one with its next datagram.
     *
     * @throws IOException if the port was lost; nothing is served there then
     */
    void update(UdpRoutes next) throws IOException {
        routes = next;
        if (next.isRefusing()) {
            if (channel != null) {
                closeChannel();
                hold();
            }
        } else if (channel == null) {
            release();
            open();
        }
        loop.run(() -> loop.sessions().review(this));
    }

    private void open() throws IOException {
        UdpChannel opened = loop.transport().newUdpChannel(address);
        ChannelFuture bound =
                new Bootstrap()
                        .group(loop.eventLoop())
                        .channelFactory(opened::channel)
                        .handler(new Receiver())
                        .bind(address)
                        .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            Throwable cause = bound.cause();
            throw taken(cause instanceof IOException e ? e : new IOException(cause));
        }
        channel = opened;
    }

    /** Another port may do unless it is the address that can't be had. */
    private IOException taken(IOException cause) {
        if (String.valueOf(cause.getMessage()).contains("Cannot assign requested address")) {
            return new IOException(address + ": " + cause.getMessage(), cause);
        }
        BindException taken = new BindException(address + ": " + cause.getMessage());
        taken.initCause(cause);
        return taken;
    }

    private void hold() throws IOException {
        DatagramChannel holder =
                DatagramChannel.open(
                        IpAddress.of(address.getAddress()).family() == IpFamily.IPV4
                                ? StandardProtocolFamily.INET
                                : StandardProtocolFamily.INET6);
        try {
            holder.bind(address);
            holder.connect(holder.getLocalAddress());
            refusing = holder;
        } catch (IOException e) {
            holder.close();
            throw taken(e);
        }
    }

    private void release() {
        if (refusing != null) {
            try {
                refusing.close();
            } catch (IOException e) {
                log.debug("{}: the socket that refused could not be closed", address, e);
            }
            refusing = null;
        }
    }

    private void closeChannel() {
        UdpChannel open = channel;
        if (open != null) {
            open.channel().close().awaitUninterruptibly();
            // java.nio gives the port up when its selector has looked once more.
            loop.eventLoop().schedule(() -> {}, 1, TimeUnit.MILLISECONDS).awaitUninterruptibly();
            channel = null;
        }
    }

    /** Gives the port up and ends its sessions. */
    void close() {
        closeChannel();
        release();
        try {
            loop.run(() -> loop.sessions().endAll(this));
        } catch (IOException e) {
            log.error("{}: the sessions could not be ended", address, e);
        }
    }

    /** What an endpoint answered; the caller flushes. Event loop. */
    void answer(InetSocketAddress client, ByteBuf data) {
        UdpChannel open = channel;
        if (open == null || !open.channel().isActive()) {
            return;
        }
        Channel netty = open.channel();
        if (!netty.isWritable()) {
            netty.flush();
        }
        if (!netty.isWritable()) {
            counters.count(ConnectionCounters.Event.DATAGRAM_DROPPED);
        } else if (data.isReadable()) {
            var unused =
                    netty.write(new DatagramPacket(copy(netty, data), client), netty.voidPromise());
        } else {
            sendNothing(open, client);
        }
    }

    private void sendNothing(UdpChannel open, InetSocketAddress client) {
        open.channel().flush();
        try {
            open.empty().send(client);
        } catch (IOException e) {
            counters.count(ConnectionCounters.Event.DATAGRAM_DROPPED);
            log.debug("{}: an empty datagram to {}: {}", address, client, e.toString());
        }
    }

    /** Event loop. */
    void flush() {
        UdpChannel open = channel;
        if (open != null) {
            open.channel().flush();
        }
    }

    /**
     * A buffer of the right size: the one that was read into holds the largest datagram, and would
     * be kept as long as this one waits to be sent.
     */
    static ByteBuf copy(Channel channel, ByteBuf data) {
        return channel.alloc()
                .directBuffer(data.readableBytes())
                .writeBytes(data, data.readerIndex(), data.readableBytes());
    }

    private final class Receiver extends SimpleChannelInboundHandler<DatagramPacket> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, DatagramPacket packet) {
            loop.sessions().fromClient(UdpSocket.this, packet.sender(), packet.content());
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            // The answer to a client that has gone; others of this socket go on.
            log.debug("{}: {}", address, cause.toString());
        }
    }
}
