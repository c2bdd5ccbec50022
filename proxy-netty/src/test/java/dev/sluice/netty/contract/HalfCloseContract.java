package dev.sluice.netty.contract;

import static dev.sluice.peer.Received.intact;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.peer.Backend;
import dev.sluice.peer.Behaviour;
import dev.sluice.peer.Content;
import dev.sluice.peer.Ending;
import dev.sluice.peer.Peer;
import dev.sluice.peer.Received;
import dev.sluice.peer.ScriptedBackend;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** A FIN ends one direction, after all its bytes; the other one goes on (RFC 9293, 3.6). */
abstract class HalfCloseContract extends SpliceContract {
    private static final Content UP = Content.of(1);
    private static final Content DOWN = Content.of(2);
    private static final Duration HALF_CLOSED_LIMIT = Duration.ofMillis(500);

    HalfCloseContract(ProxyUnderTest.Factory proxies) {
        super(proxies);
    }

    @Test
    void aClientThatFinishedGetsItsWholeReply() throws Exception {
        ProxyUnderTest proxy = proxy();
        Behaviour late = Behaviour.answerAfterEnd(Duration.ofMillis(50), DOWN, 8 * MIB);
        Backend backend = backend(late);
        InetSocketAddress service = serve(proxy, backend.address());
        inParallel(
                50,
                number -> {
                    try (Peer client = Peer.connect(service)) {
                        client.send("GET");
                        client.finish();
                        assertThat(client.receiveToEnd(DOWN))
                                .isEqualTo(intact(8 * MIB, Ending.EOF));
                    }
                });
        assertThat(backend.accepted()).isEqualTo(50);
    }

    @Test
    void aClientThatFinishesWithoutAByteGetsItsReply() throws Exception {
        Flow flow = openOne();
        flow.client().finish();
        assertThat(flow.server().receiveToEnd(UP)).isEqualTo(intact(0, Ending.EOF));
        flow.server().send(DOWN, MIB);
        flow.server().finish();
        assertThat(flow.client().receiveToEnd(DOWN)).isEqualTo(intact(MIB, Ending.EOF));
    }

    @Test
    void aServerThatFinishedGetsTheWholeUpload() throws Exception {
        Flow flow = openOne();
        flow.server().finish();
        assertThat(flow.client().receiveToEnd(DOWN)).isEqualTo(intact(0, Ending.EOF));
        Future<Received> received = beside(() -> flow.server().receiveToEnd(UP));
        flow.client().send(UP, 8 * MIB);
        flow.client().finish();
        assertThat(result(received)).isEqualTo(intact(8 * MIB, Ending.EOF));
    }

    @Test
    void aServerWithASlowClientEndsAfterItsLastByte() throws Exception {
        ProxyUnderTest proxy = proxy();
        ScriptedBackend backend = scriptedBackend();
        InetSocketAddress service = serve(proxy, backend.address());
        Peer client = closedAfterwards(Peer.connectWithReceiveBuffer(service, 16 * KIB));
        Peer server = closedAfterwards(backend.accept());
        endsAfterItsLastByte(server, client, DOWN);
    }

    @Test
    void aClientWithASlowServerEndsAfterItsLastByte() throws Exception {
        ProxyUnderTest proxy = proxy();
        ScriptedBackend backend =
                closedAfterwards(ScriptedBackend.startWithReceiveBuffer(16 * KIB));
        Flow flow = open(serve(proxy, backend.address()), backend);
        endsAfterItsLastByte(flow.client(), flow.server(), UP);
    }

    private void endsAfterItsLastByte(Peer sender, Peer reader, Content content) throws Exception {
        Future<?> sending =
                beside(
                        () -> {
                            sender.send(content, 4 * MIB);
                            sender.finish();
                        });
        for (int part = 0; part < 32; part++) {
            idle(Duration.ofMillis(10));
            assertThat(reader.receive(content, part * 128L * KIB, 128 * KIB))
                    .isEqualTo(intact(128 * KIB, Ending.OPEN));
        }
        assertThat(reader.receiveToEnd(content)).isEqualTo(intact(0, Ending.EOF));
        result(sending);
    }

    @Test
    void bothSidesMayFinishAtOnce() throws Exception {
        ProxyUnderTest proxy = proxy();
        Backend backend =
                backend(
                        server -> {
                            server.send("!");
                            server.finish();
                            assertThat(server.receiveToEnd(UP)).isEqualTo(intact(0, Ending.EOF));
                        });
        InetSocketAddress service = serve(proxy, backend.address());
        inParallel(
                1000,
                number -> {
                    try (Peer client = Peer.connect(service)) {
                        assertThat(client.receiveText(1)).isEqualTo("!");
                        client.finish();
                        assertThat(client.receiveToEnd(DOWN)).isEqualTo(intact(0, Ending.EOF));
                    }
                });
        assertThat(backend.accepted()).isEqualTo(1000);
        assertThat(backend.failures()).isEmpty();
        awaitNoConnections(proxy, Duration.ofSeconds(2));
    }

    @Test
    void aHalfClosedConnectionWithTrafficLives() throws Exception {
        Flow flow = openOne(Tuning.DEFAULT.withHalfClosedTimeout(HALF_CLOSED_LIMIT));
        flow.server().finish();
        assertThat(flow.client().receiveToEnd(DOWN)).isEqualTo(intact(0, Ending.EOF));
        for (int i = 0; i < 20; i++) {
            flow.client().send(UP, i, 1);
            assertThat(flow.server().receive(UP, i, 1)).isEqualTo(intact(1, Ending.OPEN));
            idle(HALF_CLOSED_LIMIT.dividedBy(5));
        }
        flow.client().finish();
        assertThat(flow.server().receiveToEnd(UP)).isEqualTo(intact(0, Ending.EOF));
    }

    @Test
    void anIdleConnectionThatIsNotHalfClosedLives() throws Exception {
        Flow flow =
                openOne(
                        Tuning.DEFAULT
                                .withUnackedTimeout(HALF_CLOSED_LIMIT)
                                .withHalfClosedTimeout(HALF_CLOSED_LIMIT));
        idle(HALF_CLOSED_LIMIT.multipliedBy(4));
        flow.client().send(UP, KIB);
        assertThat(flow.server().receive(UP, 0, KIB)).isEqualTo(intact(KIB, Ending.OPEN));
    }
}
