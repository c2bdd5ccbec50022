package dev.sluice.netty.contract;

import static dev.sluice.peer.Received.intact;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.peer.Backend;
import dev.sluice.peer.Behaviour;
import dev.sluice.peer.Content;
import dev.sluice.peer.Ending;
import dev.sluice.peer.Peer;
import dev.sluice.peer.Received;
import dev.sluice.peer.ScriptedBackend;
import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A side that doesn't read stops the other one, costs bounded memory, and loses nothing. */
abstract class BackPressureContract extends SpliceContract {
    private static final Content UP = Content.of(1);
    private static final Content DOWN = Content.of(2);
    private static final Duration SHORT = Duration.ofMillis(300);

    /* Far above what kernels buffer for a flow, far below what is offered. */
    private static final long MOST_IN_TRANSIT = 64L * MIB;

    private static final int STALLED = 200;
    private static final long PER_FLOW = 256L * KIB;
    private static final long IN_COMMON = 64L * MIB;

    BackPressureContract(ProxyUnderTest.Factory proxies) {
        super(proxies);
    }

    @Test
    void clientsThatDoNotReadCostLittleAndHinderNobody() throws Exception {
        ProxyUnderTest proxy = proxy();
        AtomicLong sent = new AtomicLong();
        Backend endless =
                closedAfterwards(
                        Backend.startWithBuffers(
                                64 * KIB, server -> sendUntilClosed(server, DOWN, sent)));
        InetSocketAddress stalling = serve(proxy, endless.address());
        InetSocketAddress other = serve(proxy, backend(Behaviour.echo()).address());
        long before = memory();
        for (int i = 0; i < STALLED; i++) {
            closedAfterwards(Peer.connectWithReceiveBuffer(stalling, 16 * KIB));
        }
        awaitStall(sent);
        assertThat(endless.accepted()).isEqualTo(STALLED);
        assertThat(memory() - before).as("memory").isLessThan(STALLED * PER_FLOW + IN_COMMON);
        assertOthersGoOn(other);
    }

    @Test
    void serversThatDoNotReadCostLittleAndHinderNobody() throws Exception {
        ProxyUnderTest proxy = proxy();
        AtomicLong sent = new AtomicLong();
        ScriptedBackend deaf = closedAfterwards(ScriptedBackend.startWithReceiveBuffer(16 * KIB));
        InetSocketAddress stalling = serve(proxy, deaf.address());
        InetSocketAddress other = serve(proxy, backend(Behaviour.echo()).address());
        long before = memory();
        List<Future<?>> senders = new ArrayList<>();
        for (Flow flow : open(STALLED, stalling, deaf)) {
            senders.add(beside(() -> sendUntilClosed(flow.client(), UP, sent)));
        }
        awaitStall(sent);
        assertThat(memory() - before).as("memory").isLessThan(STALLED * PER_FLOW + IN_COMMON);
        assertOthersGoOn(other);
        assertThat(senders).noneMatch(Future::isDone);
    }

    private static void sendUntilClosed(Peer sender, Content content, AtomicLong sent)
            throws IOException {
        for (long at = 0; ; at += 64 * KIB) {
            sender.send(content, at, 64 * KIB);
            sent.addAndGet(64 * KIB);
        }
    }

    private static void awaitStall(AtomicLong sent) {
        await().atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(100))
                .during(Duration.ofMillis(500))
                .until(new Unchanged(sent)::holds);
        assertThat(sent).as("bytes that senders got rid of").hasPositiveValue();
        assertThat(sent.get() / STALLED).isLessThan(MOST_IN_TRANSIT);
    }

    private static final class Unchanged {
        private final AtomicLong value;
        private long last = -1;

        Unchanged(AtomicLong value) {
            this.value = value;
        }

        boolean holds() {
            long now = value.get();
            boolean same = now == last;
            last = now;
            return same;
        }
    }

    private void assertOthersGoOn(InetSocketAddress echo) throws Exception {
        inParallel(
                16,
                number -> {
                    Content content = Content.of(number);
                    try (Peer client = Peer.connect(echo)) {
                        Future<Received> received = beside(() -> client.receiveToEnd(content));
                        client.send(content, 4 * MIB);
                        client.finish();
                        assertThat(result(received)).isEqualTo(intact(4 * MIB, Ending.EOF));
                    }
                });
    }

    /* Heap and direct memory; Netty takes some of the latter without telling the JVM. */
    private static long memory() {
        System.gc();
        Runtime heap = Runtime.getRuntime();
        long direct =
                ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                        .mapToLong(BufferPoolMXBean::getMemoryUsed)
                        .sum();
        long netty = Math.max(0, PlatformDependent.usedDirectMemory());
        return heap.totalMemory() - heap.freeMemory() + direct + netty;
    }

    @Test
    void aClientMayPauseLongerThanEveryTimer() throws Exception {
        Flow flow = openOne(shortTimers());
        pauseThenRead(flow.server(), flow.client(), DOWN);
    }

    @Test
    void aServerMayPauseLongerThanEveryTimer() throws Exception {
        Flow flow = openOne(shortTimers());
        pauseThenRead(flow.client(), flow.server(), UP);
    }

    private static Tuning shortTimers() {
        return Tuning.DEFAULT.withUnackedTimeout(SHORT).withHalfClosedTimeout(SHORT);
    }

    private void pauseThenRead(Peer sender, Peer reader, Content content) throws Exception {
        Future<?> sending = beside(() -> sender.send(content, 32 * MIB));
        idle(SHORT.multipliedBy(10));
        assertThat(reader.receive(content, 0, 32 * MIB)).isEqualTo(intact(32 * MIB, Ending.OPEN));
        result(sending);
    }

    @Test
    void whatCameBeforeTheEndIsKeptForAClientThatReadsLate() throws Exception {
        ProxyUnderTest proxy = proxy();
        Backend backend = backend(Behaviour.sendAndClose(DOWN, MIB));
        InetSocketAddress service = serve(proxy, backend.address());
        List<Peer> clients = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            clients.add(connect(service));
        }
        idle(Duration.ofSeconds(1));
        for (Peer client : clients) {
            assertThat(client.receiveToEnd(DOWN)).isEqualTo(intact(MIB, Ending.EOF));
        }
    }

    @Test
    void twoSidesThatBothSendBeforeTheyReadGetEverything() throws Exception {
        Flow flow = openOne();
        Future<?> down = beside(() -> flow.server().send(DOWN, 16 * MIB));
        Future<?> up = beside(() -> flow.client().send(UP, 16 * MIB));
        idle(Duration.ofMillis(200));
        Future<Received> server = beside(() -> flow.server().receive(UP, 0, 16 * MIB));
        assertThat(flow.client().receive(DOWN, 0, 16 * MIB))
                .isEqualTo(intact(16 * MIB, Ending.OPEN));
        assertThat(result(server)).isEqualTo(intact(16 * MIB, Ending.OPEN));
        result(up);
        result(down);
    }
}
