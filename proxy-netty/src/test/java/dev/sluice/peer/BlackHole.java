package dev.sluice.peer;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/**
 * An address of loopback that answers no connect, as a dead node or a dropping rule would: a
 * listener whose accept queue is full. Linux then drops each SYN ({@code tcp_abort_on_overflow}
 * concerns the handshake's last ACK only), and nothing is accepted, so it stays full.
 *
 * <p>Threads: the test's thread.
 */
public final class BlackHole implements Closeable {
    private static final int MOST_TO_FILL = 16;
    private static final int PROBE_MILLIS = 100;

    private final ServerSocketChannel listener = ServerSocketChannel.open();
    private final List<SocketChannel> queued = new ArrayList<>();

    private BlackHole() throws IOException {
        listener.bind(Loopback.anyPort(), 1);
    }

    /**
     * A black hole on a free port of 127.0.0.1.
     *
     * @throws IOException when this kernel goes on to answer
     */
    public static BlackHole open() throws IOException {
        BlackHole hole = new BlackHole();
        while (hole.answers()) {
            if (hole.queued.size() > MOST_TO_FILL) {
                hole.close();
                throw new IOException("a listener with a full accept queue still answers");
            }
        }
        return hole;
    }

    private boolean answers() throws IOException {
        SocketChannel probe = SocketChannel.open();
        try {
            probe.socket().connect(address(), PROBE_MILLIS);
            queued.add(probe);
            return true;
        } catch (SocketTimeoutException e) {
            probe.close();
            return false;
        }
    }

    /** Where connects vanish. */
    public InetSocketAddress address() {
        return (InetSocketAddress) listener.socket().getLocalSocketAddress();
    }

    /** Number of connects that wait for an answer now: the kernel's count. Linux only. */
    public long waiting() throws IOException {
        return TcpTable.connectingTo(address().getPort());
    }

    @Override
    public void close() throws IOException {
        for (SocketChannel channel : queued) {
            channel.close();
        }
        listener.close();
    }
}
