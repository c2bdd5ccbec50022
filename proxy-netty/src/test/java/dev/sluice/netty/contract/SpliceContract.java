package dev.sluice.netty.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.check.DescriptorCheck;
import dev.sluice.check.Descriptors;
import dev.sluice.peer.Backend;
import dev.sluice.peer.Behaviour;
import dev.sluice.peer.Peer;
import dev.sluice.peer.ScriptedBackend;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Common ground of the contracts: starts the proxy, opens connections through it, and after each
 * test closes the peers and sees that the proxy holds no connection and no descriptor for them.
 *
 * <p>Threads: the test's thread, except where a method says otherwise.
 */
@Timeout(60)
@ExtendWith(DescriptorCheck.class)
abstract class SpliceContract {
    static final int KIB = 1024;
    static final int MIB = 1024 * KIB;

    /** Limit of whatever must happen soon but has no limit of its own. */
    static final Duration SOON = Duration.ofSeconds(5);

    private static final int WORKERS = 8;

    private final ProxyUnderTest.Factory proxies;
    private final Deque<Closeable> peers = new ArrayDeque<>();
    private final List<ProxyUnderTest> started = new ArrayList<>();
    private final ExecutorService workers = Executors.newCachedThreadPool();
    private int quietDescriptors;

    SpliceContract(ProxyUnderTest.Factory proxies) {
        this.proxies = proxies;
    }

    @BeforeEach
    void countDescriptors() {
        quietDescriptors = Descriptors.open();
    }

    /** One connection: the client's end and the backend's. */
    record Flow(Peer client, Peer server) {
        void close() {
            client.close();
            server.close();
        }
    }

    /** Starts the proxy with the product's timers. */
    final ProxyUnderTest proxy() throws Exception {
        return proxy(Tuning.DEFAULT);
    }

    /** Starts the proxy; before any peer, whose descriptors would count as the proxy's. */
    final ProxyUnderTest proxy(Tuning tuning) throws Exception {
        int before = Descriptors.open();
        ProxyUnderTest proxy = proxies.start(tuning);
        started.add(proxy);
        quietDescriptors += Descriptors.open() - before;
        return proxy;
    }

    /** Opens a Service port over backends. */
    final InetSocketAddress serve(ProxyUnderTest proxy, InetSocketAddress... endpoints)
            throws IOException {
        int before = Descriptors.open();
        InetSocketAddress service = proxy.serve(List.of(endpoints));
        quietDescriptors += Math.max(0, Descriptors.open() - before);
        return service;
    }

    final Backend backend(Behaviour behaviour) throws IOException {
        return closedAfterwards(Backend.start(behaviour));
    }

    final ScriptedBackend scriptedBackend() throws IOException {
        return closedAfterwards(ScriptedBackend.start());
    }

    final Peer connect(InetSocketAddress service) throws IOException {
        return closedAfterwards(Peer.connect(service));
    }

    /** A new connection to {@code service} whose only endpoint is {@code backend}. */
    final Flow open(InetSocketAddress service, ScriptedBackend backend) throws IOException {
        Peer client = connect(service);
        return new Flow(client, closedAfterwards(backend.accept()));
    }

    /** {@code count} of them, each the next one that the backend sees. */
    final List<Flow> open(int count, InetSocketAddress service, ScriptedBackend backend)
            throws IOException {
        List<Flow> flows = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            flows.add(open(service, backend));
        }
        return flows;
    }

    /** Starts the proxy over one scripted backend and opens one connection. */
    final Flow openOne() throws Exception {
        return openOne(Tuning.DEFAULT);
    }

    final Flow openOne(Tuning tuning) throws Exception {
        ProxyUnderTest proxy = proxy(tuning);
        ScriptedBackend backend = scriptedBackend();
        return open(serve(proxy, backend.address()), backend);
    }

    final synchronized <T extends Closeable> T closedAfterwards(T peer) {
        peers.push(peer);
        return peer;
    }

    /** Runs a peer's part beside the test's thread. */
    final <T> Future<T> beside(Callable<T> part) {
        return workers.submit(part);
    }

    /** A peer's part without a result. */
    @FunctionalInterface
    interface Part {
        void run() throws Exception;
    }

    final Future<?> beside(Part part) {
        return beside(
                () -> {
                    part.run();
                    return true;
                });
    }

    /** The result of a part that ends in a bounded time; what it threw is thrown. */
    static <T> T result(Future<T> part) throws Exception {
        try {
            return part.get(50, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof AssertionError failed) {
                throw failed;
            }
            throw e;
        } catch (TimeoutException e) {
            throw new AssertionError("a peer's part did not end", e);
        }
    }

    /** A peer's part in one of many flows. */
    @FunctionalInterface
    interface NumberedPart {
        void run(int number) throws Exception;
    }

    /** Runs {@code count} parts, a few at a time, and waits for all. */
    final void inParallel(int count, NumberedPart part) throws Exception {
        inParallel(count, WORKERS, part);
    }

    /** Runs {@code count} parts, all of them at once, and waits for all. */
    final void allAtOnce(int count, NumberedPart part) throws Exception {
        inParallel(count, count, part);
    }

    private void inParallel(int count, int threads, NumberedPart part) throws Exception {
        List<Future<?>> parts = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            int first = t;
            parts.add(
                    beside(
                            () -> {
                                for (int i = first; i < count; i += threads) {
                                    part.run(i);
                                }
                            }));
        }
        for (Future<?> each : parts) {
            result(each);
        }
    }

    /** Lets time pass in which a peer does nothing: a part of its script, not a wait. */
    static void idle(Duration time) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(time.toNanos());
    }

    /** Waits until the proxy has no connection any more, although its peers are still there. */
    static void awaitNoConnections(ProxyUnderTest proxy, Duration limit) {
        await().atMost(limit)
                .pollInterval(Duration.ofMillis(10))
                .untilAsserted(
                        () ->
                                assertThat(proxy.activeConnections())
                                        .as("connections of the proxy")
                                        .isZero());
    }

    @AfterEach
    @Timeout(30)
    final void leavesNothingBehind() throws Exception {
        try {
            for (Closeable peer : peers) {
                peer.close();
            }
            for (ProxyUnderTest proxy : started) {
                awaitNoConnections(proxy, SOON);
            }
            await().atMost(SOON)
                    .pollInterval(Duration.ofMillis(10))
                    .untilAsserted(
                            () ->
                                    assertThat(Descriptors.open())
                                            .as("descriptors of an idle proxy")
                                            .isLessThanOrEqualTo(quietDescriptors));
        } finally {
            workers.shutdownNow();
            for (ProxyUnderTest proxy : started) {
                proxy.close();
            }
        }
    }
}
