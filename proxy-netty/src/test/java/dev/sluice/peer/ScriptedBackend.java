package dev.sluice.peer;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/**
 * A TCP server on loopback whose connections are played by the test: with both ends in its hands a
 * test is a script, line by line, of what each side does.
 *
 * <p>Threads: the test's thread. Accepted connections belong to the caller.
 */
public final class ScriptedBackend implements Closeable {
    private final ServerSocketChannel listener;

    private ScriptedBackend(ServerSocketChannel listener) throws IOException {
        this.listener = listener;
        listener.bind(Loopback.anyPort(), Backend.BACKLOG);
        listener.socket().setSoTimeout((int) Peer.PATIENCE.toMillis());
    }

    /** A backend on a free port of 127.0.0.1. */
    public static ScriptedBackend start() throws IOException {
        return new ScriptedBackend(ServerSocketChannel.open());
    }

    /** A backend whose kernel keeps about {@code bytes} unread bytes, and not more. */
    public static ScriptedBackend startWithReceiveBuffer(int bytes) throws IOException {
        ServerSocketChannel listener = ServerSocketChannel.open();
        listener.setOption(StandardSocketOptions.SO_RCVBUF, bytes);
        return new ScriptedBackend(listener);
    }

    /** Where it listens. */
    public InetSocketAddress address() {
        return (InetSocketAddress) listener.socket().getLocalSocketAddress();
    }

    /**
     * The next connection.
     *
     * @throws SocketTimeoutException when none came in time
     */
    public Peer accept() throws IOException {
        SocketChannel channel = listener.socket().accept().getChannel();
        return new Peer(channel);
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
