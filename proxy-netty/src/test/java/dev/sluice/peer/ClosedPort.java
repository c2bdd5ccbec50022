package dev.sluice.peer;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;

/**
 * An address of loopback that refuses each connect: bound, so that nobody else takes the port, but
 * not listening.
 *
 * <p>Threads: the test's thread.
 */
public final class ClosedPort implements Closeable {
    private final SocketChannel holder;

    private ClosedPort(SocketChannel holder) {
        this.holder = holder;
    }

    /** A closed port of 127.0.0.1. */
    public static ClosedPort open() throws IOException {
        SocketChannel holder = SocketChannel.open();
        holder.setOption(StandardSocketOptions.SO_REUSEADDR, true);
        return new ClosedPort(holder.bind(Loopback.anyPort()));
    }

    /** Where connects are refused. */
    public InetSocketAddress address() {
        return (InetSocketAddress) holder.socket().getLocalSocketAddress();
    }

    @Override
    public void close() throws IOException {
        holder.close();
    }
}
