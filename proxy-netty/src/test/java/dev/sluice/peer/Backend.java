package dev.sluice.peer;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A TCP server on loopback that treats every connection alike.
 *
 * <p>Threads: any thread; one thread accepts and one serves each connection. {@link #close} closes
 * the connections that are still open.
 */
public final class Backend implements Closeable {
    private static final Logger log = LoggerFactory.getLogger(Backend.class);

    /* Large enough that a burst of clients of one test never waits for this listener. */
    static final int BACKLOG = 2048;

    private final ServerSocketChannel listener;
    private final Behaviour behaviour;
    private final ExecutorService threads =
            Executors.newCachedThreadPool(
                    task -> {
                        Thread thread = new Thread(task, "backend");
                        thread.setDaemon(true);
                        return thread;
                    });
    private final Set<Peer> open = ConcurrentHashMap.newKeySet();
    private final CountDownLatch ended = new CountDownLatch(1);
    private final AtomicInteger accepted = new AtomicInteger();
    private final List<AssertionError> failures = new CopyOnWriteArrayList<>();

    private Backend(ServerSocketChannel listener, Behaviour behaviour) {
        this.listener = listener;
        this.behaviour = behaviour;
        threads.execute(this::acceptAll);
    }

    /** A backend on a free port of 127.0.0.1. */
    public static Backend start(Behaviour behaviour) throws IOException {
        return start(Loopback.anyPort(), behaviour);
    }

    /** A backend on {@code address}; port 0 is any free one. */
    public static Backend start(InetSocketAddress address, Behaviour behaviour) throws IOException {
        return new Backend(ServerSocketChannel.open().bind(address, BACKLOG), behaviour);
    }

    /** A backend whose kernel keeps about {@code bytes} bytes in each direction, and not more. */
    public static Backend startWithBuffers(int bytes, Behaviour behaviour) throws IOException {
        ServerSocketChannel listener = ServerSocketChannel.open();
        listener.setOption(StandardSocketOptions.SO_RCVBUF, bytes);
        listener.bind(Loopback.anyPort(), BACKLOG);
        return new Backend(
                listener,
                connection -> {
                    connection.limitSendBuffer(bytes);
                    behaviour.serve(connection);
                });
    }

    /** Where it listens. */
    public InetSocketAddress address() {
        return (InetSocketAddress) listener.socket().getLocalSocketAddress();
    }

    /** Number of connections accepted so far. */
    public int accepted() {
        return accepted.get();
    }

    /** Number of connections that are still served. */
    public int openConnections() {
        return open.size();
    }

    /** What behaviours found wrong. */
    public List<AssertionError> failures() {
        return List.copyOf(failures);
    }

    private void acceptAll() {
        try {
            while (true) {
                Peer connection = new Peer(listener.accept());
                accepted.incrementAndGet();
                open.add(connection);
                try {
                    threads.execute(() -> serve(connection));
                } catch (RejectedExecutionException e) {
                    // Accepted while this was being closed.
                    connection.close();
                    throw e;
                }
            }
        } catch (IOException | RuntimeException e) {
            log.debug("no longer accepts", e);
        } finally {
            ended.countDown();
        }
    }

    private void serve(Peer connection) {
        try {
            behaviour.serve(connection);
        } catch (IOException e) {
            log.debug("connection lost", e);
        } catch (AssertionError e) {
            failures.add(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            connection.close();
            open.remove(connection);
        }
    }

    /** Returns when the port is free: a thread that still accepts would hold it. */
    @Override
    public void close() throws IOException {
        listener.close();
        try {
            ended.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        threads.shutdownNow();
        open.forEach(Peer::close);
    }
}
