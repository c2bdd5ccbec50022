package dev.sluice.netty;

import dev.sluice.model.Endpoint;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDatagramChannel;
import java.io.Closeable;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SocketChannel;

/**
 * Any JVM: the sockets of {@code java.nio}. They know neither the original destination nor
 * TCP_INFO.
 */
final class NioTransport implements NettyTransport {
    private static final int LONGEST_DATAGRAM = 65_535;

    @Override
    public String name() {
        return "nio";
    }

    @Override
    public boolean knowsOriginalDestination() {
        return false;
    }

    @Override
    public IoHandlerFactory ioHandlerFactory() {
        return NioIoHandler.newFactory();
    }

    @Override
    public ListenSocket bind(InetSocketAddress address) throws IOException {
        return new NioListenSocket(address);
    }

    @Override
    public StreamSocket connect(Endpoint endpoint) throws IOException {
        SocketChannel channel = SocketChannel.open();
        try {
            StreamSocket socket = new NioStreamSocket(channel, endpoint.address(), endpoint.port());
            channel.connect(
                    new InetSocketAddress(endpoint.address().toInetAddress(), endpoint.port()));
            return socket;
        } catch (IOException | RuntimeException e) {
            // Not an IOException: an IPv6 address where the JVM has IPv4 only.
            channel.close();
            throw e;
        }
    }

    @Override
    public UdpChannel newUdpChannel(InetSocketAddress address) throws IOException {
        DatagramChannel socket =
                DatagramChannel.open(
                        address.getAddress() instanceof Inet4Address
                                ? StandardProtocolFamily.INET
                                : StandardProtocolFamily.INET6);
        NioDatagramChannel channel = new NioDatagramChannel(socket);
        channel.config().setRecvByteBufAllocator(new FixedRecvByteBufAllocator(LONGEST_DATAGRAM));
        ByteBuffer nothing = ByteBuffer.allocate(0);
        return new UdpChannel(
                channel,
                to -> {
                    if (to == null) {
                        throw new IOException(
                                "java.nio sends no empty datagram over a connected socket");
                    }
                    socket.send(nothing, to);
                });
    }

    @Override
    public Closeable spareDescriptor() throws IOException {
        return SocketChannel.open();
    }
}
