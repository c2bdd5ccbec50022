package dev.sluice.netty;

import dev.sluice.config.ProxyConfig;
import io.netty.channel.IoEventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The event loops of a proxy, among which listeners and connections are dealt in turn.
 *
 * <p>Threads: any.
 */
final class ConnectionLoops implements AutoCloseable {
    private static final long CLOSE_LIMIT_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final MultiThreadIoEventLoopGroup group;
    private final List<ConnectionLoop> loops = new ArrayList<>();
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicBoolean isClosed = new AtomicBoolean();

    /** Starts them. */
    ConnectionLoops(NettyTransport transport, ProxyConfig config) {
        int threads = config.transport().eventLoops();
        group =
                new MultiThreadIoEventLoopGroup(
                        threads > 0 ? threads : Runtime.getRuntime().availableProcessors(),
                        new DefaultThreadFactory("sluice-" + transport.name(), true),
                        transport.ioHandlerFactory());
        for (EventExecutor executor : group) {
            loops.add(new ConnectionLoop((IoEventLoop) executor, transport, config.connections()));
        }
        for (ConnectionLoop loop : loops) {
            loop.eventLoop().submit(loop::open).syncUninterruptibly();
        }
    }

    /** The loop whose turn it is. */
    ConnectionLoop next() {
        return loops.get(Math.floorMod(next.getAndIncrement(), loops.size()));
    }

    /**
     * Resets all connections and ends the event loops. Blocks for 2 s at most. A second call does
     * nothing more.
     */
    @Override
    public void close() {
        if (!isClosed.compareAndSet(false, true)) {
            return;
        }
        long deadline = System.nanoTime() + CLOSE_LIMIT_NANOS;
        // An event loop that is told to end closes its sockets before its tasks are run: each
        // stream would end in a FIN, as if it were whole.
        loops.stream()
                .map(loop -> loop.eventLoop().submit(loop::close))
                .toList()
                .forEach(reset -> awaitUntil(deadline, reset));
        awaitUntil(deadline, group.shutdownGracefully(0, CLOSE_LIMIT_NANOS, TimeUnit.NANOSECONDS));
    }

    private static void awaitUntil(long deadline, Future<?> done) {
        done.awaitUninterruptibly(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
    }
}
