package dev.sluice.netty;

import dev.sluice.config.ProxyConfig;
import dev.sluice.stats.DurationHistogram;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * One event loop of a transport that a test can stop and let go on, so that what the kernel does
 * meanwhile is seen by the parts all at once.
 *
 * <p>Threads: the test's.
 */
final class OneLoop implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 10;

    private final MultiThreadIoEventLoopGroup group;
    private final ConnectionLoop loop;

    OneLoop(NettyTransport transport) {
        this(transport, ProxyConfig.embedded().connections());
    }

    OneLoop(NettyTransport transport, ProxyConfig.Connections limits) {
        group = new MultiThreadIoEventLoopGroup(1, transport.ioHandlerFactory());
        loop =
                new ConnectionLoop(
                        group.next(),
                        transport,
                        limits,
                        new DurationHistogram(Duration.ofMillis(1), 15));
        loop.eventLoop().submit(loop::open).syncUninterruptibly();
    }

    ConnectionLoop loop() {
        return loop;
    }

    /** Runs work on the event loop and waits for its result. */
    <T> T on(Callable<T> work) throws Exception {
        return loop.eventLoop().submit(work).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    /** Runs work on the event loop and waits for its end. */
    void run(Runnable work) throws Exception {
        loop.eventLoop().submit(work).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    /** Work during which the event loop stands still. */
    @FunctionalInterface
    interface Meanwhile {
        void run() throws Exception;
    }

    /** Does something while the event loop stands still, and lets it go on. */
    void hold(Meanwhile work) throws Exception {
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        Future<Boolean> done =
                loop.eventLoop()
                        .submit(
                                () -> {
                                    held.countDown();
                                    return end.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
                                });
        try {
            if (!held.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("the event loop takes no task");
            }
            work.run();
        } finally {
            end.countDown();
        }
        done.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        loop.eventLoop().execute(loop::close);
        group.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
