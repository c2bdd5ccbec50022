package dev.sluice.netty.contract;

import static dev.sluice.peer.Received.intact;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.peer.Backend;
import dev.sluice.peer.Behaviour;
import dev.sluice.peer.Content;
import dev.sluice.peer.Ending;
import dev.sluice.peer.Peer;
import dev.sluice.peer.Received;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every byte arrives, once, in order, in both directions, and without delay. */
abstract class BytesContract extends SpliceContract {
    private static final Content UP = Content.of(1);
    private static final Content DOWN = Content.of(2);

    BytesContract(ProxyUnderTest.Factory proxies) {
        super(proxies);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, KIB, 64 * KIB, MIB, 64 * MIB})
    void deliversEveryByteOfAnUpload(long bytes) throws Exception {
        Flow flow = openOne();
        Future<Received> received = beside(() -> flow.server().receiveToEnd(UP));
        flow.client().send(UP, bytes);
        flow.client().finish();
        assertThat(result(received)).isEqualTo(intact(bytes, Ending.EOF));
        flow.server().finish();
        assertThat(flow.client().receiveToEnd(DOWN)).isEqualTo(intact(0, Ending.EOF));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, KIB, 64 * KIB, MIB, 64 * MIB})
    void deliversEveryByteOfADownload(long bytes) throws Exception {
        Flow flow = openOne();
        Future<Received> received = beside(() -> flow.client().receiveToEnd(DOWN));
        flow.server().send(DOWN, bytes);
        flow.server().finish();
        assertThat(result(received)).isEqualTo(intact(bytes, Ending.EOF));
        flow.client().finish();
        assertThat(flow.server().receiveToEnd(UP)).isEqualTo(intact(0, Ending.EOF));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, KIB, 64 * KIB, MIB, 64 * MIB})
    void deliversEveryByteOfBothDirectionsAtOnce(long bytes) throws Exception {
        transferBothWays(bytes);
    }

    @Test
    @Tag("large")
    void deliversAGibibyteInBothDirectionsAtOnce() throws Exception {
        transferBothWays(1024L * MIB);
    }

    private void transferBothWays(long bytes) throws Exception {
        Flow flow = openOne();
        Future<Received> up = beside(() -> flow.server().receiveToEnd(UP));
        Future<Received> down = beside(() -> flow.client().receiveToEnd(DOWN));
        Future<?> sending =
                beside(
                        () -> {
                            flow.server().send(DOWN, bytes);
                            flow.server().finish();
                        });
        flow.client().send(UP, bytes);
        flow.client().finish();
        result(sending);
        assertThat(result(up)).isEqualTo(intact(bytes, Ending.EOF));
        assertThat(result(down)).isEqualTo(intact(bytes, Ending.EOF));
    }

    @Test
    void keepsManyFlowsApart() throws Exception {
        ProxyUnderTest proxy = proxy();
        InetSocketAddress service = serve(proxy, backend(Behaviour.echo()).address());
        allAtOnce(
                32,
                number -> {
                    Content content = Content.of(number);
                    Peer client = closedAfterwards(Peer.connectWithReceiveBuffer(service, 4 * KIB));
                    Future<Received> echo = beside(() -> client.receiveToEnd(content));
                    int chunk = 1 + number * 997;
                    long sent = 0;
                    while (sent < MIB) {
                        long bytes = Math.min(chunk, MIB - sent);
                        client.send(content, sent, bytes);
                        sent += bytes;
                        chunk = chunk % (48 * KIB) + 1009;
                    }
                    client.finish();
                    assertThat(result(echo)).isEqualTo(intact(MIB, Ending.EOF));
                });
    }

    @Test
    void deliversTheTailOfABackendThatClosesAtOnce() throws Exception {
        Content content = Content.of(3);
        ProxyUnderTest proxy = proxy();
        Backend backend = backend(Behaviour.sendAndClose(content, 200 * KIB));
        InetSocketAddress service = serve(proxy, backend.address());
        inParallel(
                500,
                number -> {
                    try (Peer client = Peer.connect(service)) {
                        assertThat(client.receiveToEnd(content))
                                .isEqualTo(intact(200 * KIB, Ending.EOF));
                    }
                });
    }

    @Test
    void deliversWhatTheServerSaysFirst() throws Exception {
        ProxyUnderTest proxy = proxy();
        String banner = "220 ready\r\n";
        InetSocketAddress service = serve(proxy, backend(Behaviour.banner(banner)).address());
        Peer client = connect(service);
        assertThat(client.receiveText(banner.length())).isEqualTo(banner);
        client.send("QUIT\r\n");
        assertThat(client.receiveText(6)).isEqualTo("QUIT\r\n");
    }

    /**
     * Each message of 64 bytes comes in two writes, as a header and a body often do: with Nagle's
     * algorithm on a leg the second one waits for a delayed ACK, at least 40 ms, and with a corked
     * splice 200 ms.
     */
    @Test
    void passesSmallMessagesOnWithoutDelay() throws Exception {
        Flow flow = openOne();
        Future<?> server =
                beside(
                        () -> {
                            for (int i = 0; i < 1000; i++) {
                                Received request = flow.server().receive(UP, i * 64L, 64);
                                assertThat(request).isEqualTo(intact(64, Ending.OPEN));
                                flow.server().send(DOWN, i * 64L, 32);
                                flow.server().send(DOWN, i * 64L + 32, 32);
                            }
                        });
        long[] rounds = new long[1000];
        for (int i = 0; i < rounds.length; i++) {
            long start = System.nanoTime();
            flow.client().send(UP, i * 64L, 32);
            flow.client().send(UP, i * 64L + 32, 32);
            assertThat(flow.client().receive(DOWN, i * 64L, 64)).isEqualTo(intact(64, Ending.OPEN));
            rounds[i] = System.nanoTime() - start;
        }
        result(server);
        Arrays.sort(rounds);
        assertThat(Duration.ofNanos(rounds[rounds.length / 2]))
                .as("median round trip")
                .isLessThan(Duration.ofMillis(20));
    }
}
