package dev.sluice.netty;

import dev.sluice.model.IpAddress;
import io.netty.channel.IoRegistration;
import io.netty.channel.nio.NioIoOps;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A listening socket that refuses by closing: {@code java.nio} can't leave the LISTEN state in any
 * other way. The port may be lost to another program meanwhile, and {@link #listen} then fails.
 */
final class NioListenSocket implements ListenSocket {
    private final InetSocketAddress address;
    private @Nullable ServerSocketChannel channel;
    private @Nullable ConnectionLoop loop;
    private Runnable onReady = () -> {};
    private @Nullable IoRegistration registration;

    /** Binds to find out the port, and lets go of it until {@link #listen}. */
    NioListenSocket(InetSocketAddress wanted) throws IOException {
        try (ServerSocketChannel probe = bind(wanted)) {
            address = (InetSocketAddress) probe.getLocalAddress();
        }
    }

    private static ServerSocketChannel bind(InetSocketAddress address) throws IOException {
        ServerSocketChannel channel = ServerSocketChannel.open();
        try {
            channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            channel.configureBlocking(false);
            channel.bind(address, NetUtil.SOMAXCONN);
            return channel;
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    @Override
    public InetSocketAddress address() {
        return address;
    }

    @Override
    public void listen(ConnectionLoop on, Runnable callback) throws IOException {
        channel = bind(address);
        loop = on;
        onReady = callback;
        resume();
    }

    @Override
    public void pause() {
        if (registration != null) {
            registration.submit(NioIoOps.NONE);
        }
    }

    @Override
    public void resume() throws IOException {
        if (channel == null || loop == null) {
            return;
        }
        if (registration == null) {
            registration = loop.register(new NioHandle(channel, events -> onReady.run()));
        }
        registration.submit(NioIoOps.ACCEPT);
    }

    @Override
    public void refuse() throws IOException {
        if (registration != null) {
            registration.cancel();
            registration = null;
        }
        if (channel != null) {
            channel.close();
            channel = null;
        }
    }

    /**
     * A closed channel goes on to accept until its selector has looked once more. An event loop
     * looks between two times at which it takes scheduled tasks.
     */
    @Override
    public void awaitRefusal(ConnectionLoop on) {
        on.eventLoop().schedule(() -> {}, 1, TimeUnit.MILLISECONDS).syncUninterruptibly();
    }

    @Override
    public @Nullable StreamSocket accept() throws IOException {
        SocketChannel accepted = channel == null ? null : channel.accept();
        if (accepted == null) {
            return null;
        }
        try {
            InetSocketAddress peer = (InetSocketAddress) accepted.getRemoteAddress();
            return new NioStreamSocket(accepted, IpAddress.of(peer.getAddress()), peer.getPort());
        } catch (IOException e) {
            accepted.close();
            throw e;
        }
    }

    @Override
    public void close() throws IOException {
        refuse();
    }
}
