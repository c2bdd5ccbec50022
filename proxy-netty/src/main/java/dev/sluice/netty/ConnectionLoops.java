package dev.sluice.netty;

import dev.sluice.config.ProxyConfig;
import dev.sluice.stats.DurationHistogram;
import io.netty.channel.IoEventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * The event loops of a proxy, among which listeners and connections are dealt in turn.
 *
 * <p>Threads: any.
 */
final class ConnectionLoops implements AutoCloseable {
    private static final long CLOSE_LIMIT_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** From a quarter of a millisecond, below a handshake in a cluster, to four seconds. */
    private static final Duration FIRST_DIAL_BUCKET = Duration.ofNanos(250_000);

    private static final int DIAL_BUCKETS = 15;

    private final MultiThreadIoEventLoopGroup group;
    private final List<ConnectionLoop> loops = new ArrayList<>();
    private final DurationHistogram dialTimes =
            new DurationHistogram(FIRST_DIAL_BUCKET, DIAL_BUCKETS);
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
            loops.add(
                    new ConnectionLoop(
                            (IoEventLoop) executor, transport, config.connections(), dialTimes));
        }
        for (ConnectionLoop loop : loops) {
            loop.eventLoop().submit(loop::open).syncUninterruptibly();
        }
    }

    /** The loop whose turn it is. */
    ConnectionLoop next() {
        return loops.get(Math.floorMod(next.getAndIncrement(), loops.size()));
    }

    List<ConnectionLoop> all() {
        return List.copyOf(loops);
    }

    int size() {
        return loops.size();
    }

    /** How long endpoints took to answer. */
    DurationHistogram dialTimes() {
        return dialTimes;
    }

    /**
     * Asks one loop on its own thread; a short question, since its connections wait meanwhile.
     *
     * @return completes on the loop; fails if the loop has ended
     */
    <T> CompletableFuture<T> ask(int index, Function<ConnectionLoop, T> question) {
        ConnectionLoop loop = loops.get(index);
        try {
            return CompletableFuture.supplyAsync(() -> question.apply(loop), loop.eventLoop());
        } catch (RejectedExecutionException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /**
     * Asks all loops at once.
     *
     * @return completes when the last one has answered; fails if one has ended
     */
    <T> CompletableFuture<List<T>> askAll(Function<ConnectionLoop, T> question) {
        List<CompletableFuture<T>> answers =
                IntStream.range(0, size()).mapToObj(index -> ask(index, question)).toList();
        return CompletableFuture.allOf(answers.toArray(CompletableFuture<?>[]::new))
                .thenApply(all -> answers.stream().map(CompletableFuture::join).toList());
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
