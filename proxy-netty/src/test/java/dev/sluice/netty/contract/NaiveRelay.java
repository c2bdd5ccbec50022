package dev.sluice.netty.contract;

import dev.sluice.peer.Loopback;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The relay that everyone writes first: a thread per direction, and the first end of either closes
 * both. It moves bytes well and gets every ending wrong, which the contracts must notice.
 *
 * <p>Threads: any; it starts two per connection and one per Service port.
 */
final class NaiveRelay implements ProxyUnderTest {
    private final List<ServerSocketChannel> listeners = new CopyOnWriteArrayList<>();
    private final AtomicInteger active = new AtomicInteger();

    @Override
    public InetSocketAddress serve(List<InetSocketAddress> endpoints) throws IOException {
        ServerSocketChannel listener = ServerSocketChannel.open().bind(Loopback.anyPort(), 2048);
        listeners.add(listener);
        start(() -> acceptAll(listener, endpoints));
        return (InetSocketAddress) listener.getLocalAddress();
    }

    private void acceptAll(ServerSocketChannel listener, List<InetSocketAddress> endpoints)
            throws IOException {
        for (int turn = 0; ; turn++) {
            SocketChannel client = listener.accept();
            InetSocketAddress endpoint = endpoints.get(turn % endpoints.size());
            active.incrementAndGet();
            start(() -> relay(client, endpoint));
        }
    }

    private void relay(SocketChannel client, InetSocketAddress endpoint) throws IOException {
        try (client;
                SocketChannel server = SocketChannel.open(endpoint)) {
            client.setOption(StandardSocketOptions.TCP_NODELAY, true);
            server.setOption(StandardSocketOptions.TCP_NODELAY, true);
            start(() -> copy(client, server));
            copy(server, client);
        } finally {
            active.decrementAndGet();
        }
    }

    private static void copy(SocketChannel from, SocketChannel to) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocateDirect(64 * 1024);
        try (from;
                to) {
            while (from.read(buffer) >= 0) {
                buffer.flip();
                while (buffer.hasRemaining()) {
                    to.write(buffer);
                }
                buffer.clear();
            }
        }
    }

    private interface Task {
        void run() throws IOException;
    }

    private static void start(Task task) {
        Thread thread =
                new Thread(
                        () -> {
                            try {
                                task.run();
                            } catch (IOException e) {
                                // Any failure is an end like any other here: the flaw under test.
                            }
                        },
                        "naive-relay");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void setEndpoints(InetSocketAddress service, List<InetSocketAddress> endpoints) {
        throw new UnsupportedOperationException("endpoints of this relay never change");
    }

    @Override
    public int activeConnections() {
        return active.get();
    }

    @Override
    public void close() throws IOException {
        for (ServerSocketChannel listener : listeners) {
            listener.close();
        }
    }
}
