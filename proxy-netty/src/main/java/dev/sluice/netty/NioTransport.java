package dev.sluice.netty;

import dev.sluice.model.Endpoint;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.nio.NioIoHandler;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;

/**
 * Any JVM: the sockets of {@code java.nio}. They know neither the original destination nor
 * TCP_INFO.
 */
final class NioTransport implements NettyTransport {
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
    public Closeable spareDescriptor() throws IOException {
        return SocketChannel.open();
    }
}
