package dev.sluice.netty.contract;

import static dev.sluice.peer.Received.intact;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.peer.Backend;
import dev.sluice.peer.Behaviour;
import dev.sluice.peer.Content;
import dev.sluice.peer.Ending;
import dev.sluice.peer.Peer;
import dev.sluice.peer.Received;
import dev.sluice.peer.ScriptedBackend;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * A reset on one side is a reset on the other one, after the bytes that came before it: a client
 * that sees EOF instead takes half a reply for a whole one.
 */
abstract class ResetContract extends SpliceContract {
    private static final Content UP = Content.of(1);
    private static final Content DOWN = Content.of(2);
    private static final int REPLY = 64 * KIB;
    private static final String REQUEST = "GET";
    private static final long ENDLESS = Long.MAX_VALUE / 2;

    ResetContract(ProxyUnderTest.Factory proxies) {
        super(proxies);
    }

    @Test
    void aServersResetBeforeAnyByteReachesTheClient() throws Exception {
        Flow flow = openOne();
        flow.server().reset();
        assertThat(flow.client().receiveToEnd(DOWN)).isEqualTo(intact(0, Ending.RESET));
    }

    @Test
    void aClientsResetBeforeAnyByteReachesTheServer() throws Exception {
        Flow flow = openOne();
        flow.client().reset();
        assertThat(flow.server().receiveToEnd(UP)).isEqualTo(intact(0, Ending.RESET));
    }

    @Test
    void aServersResetInMidReplyIsNoEndOfTheReply() throws Exception {
        Flow flow = openOne();
        flow.client().send(REQUEST);
        flow.server().receiveText(REQUEST.length());
        Future<?> sending = beside(() -> flow.server().send(DOWN, MIB));
        assertThat(flow.client().receive(DOWN, 0, MIB)).isEqualTo(intact(MIB, Ending.OPEN));
        result(sending);
        flow.server().reset();
        assertThat(flow.client().receiveToEnd(DOWN)).isEqualTo(intact(0, Ending.RESET));
    }

    @Test
    void aClientsResetInMidUploadIsNoEndOfTheUpload() throws Exception {
        Flow flow = openOne();
        Future<?> sending = beside(() -> flow.client().send(UP, MIB));
        assertThat(flow.server().receive(UP, 0, MIB)).isEqualTo(intact(MIB, Ending.OPEN));
        result(sending);
        flow.client().reset();
        assertThat(flow.server().receiveToEnd(UP)).isEqualTo(intact(0, Ending.RESET));
    }

    /** How much arrives is TCP's affair: the sender's kernel drops what it has not sent. */
    @Test
    void whatArrivesBeforeAResetIsInOrder() throws Exception {
        ProxyUnderTest proxy = proxy();
        InetSocketAddress service =
                serve(
                        proxy,
                        backend(
                                        server -> {
                                            server.receiveText(REQUEST.length());
                                            server.send(DOWN, MIB);
                                            server.reset();
                                        })
                                .address());
        inParallel(
                50,
                number -> {
                    Received received = request(service, Duration.ZERO);
                    assertThat(received.isPrefix()).isTrue();
                    assertThat(received.ending()).isEqualTo(Ending.RESET);
                });
    }

    @Test
    void aFinishedReplyIsWholeWhenTheServerResetsAMomentLater() throws Exception {
        ProxyUnderTest proxy = proxy();
        Behaviour resetAMomentLater =
                server -> {
                    server.receiveText(REQUEST.length());
                    server.send(DOWN, REPLY);
                    idle(Duration.ofMillis(20));
                    server.reset();
                };
        InetSocketAddress service = serve(proxy, backend(resetAMomentLater).address());
        inParallel(
                400,
                number ->
                        assertThat(request(service, Duration.ZERO))
                                .isEqualTo(intact(REPLY, Ending.RESET)));
    }

    /* With a request first the connect has returned before a reset can come. */
    static Received request(InetSocketAddress service, Duration pause) throws Exception {
        try (Peer client = Peer.connect(service)) {
            client.send(REQUEST);
            idle(pause);
            return client.receiveToEnd(DOWN);
        }
    }

    @Test
    void aResetBehindBackPressureIsAReset() throws Exception {
        ProxyUnderTest proxy = proxy();
        ScriptedBackend backend = scriptedBackend();
        InetSocketAddress service = serve(proxy, backend.address());
        for (Flow flow : open(20, service, backend)) {
            Future<?> sending = beside(() -> flow.server().send(DOWN, ENDLESS));
            idle(Duration.ofMillis(20));
            flow.server().reset();
            assertThat(sending).failsWithin(SOON);
            Received received = flow.client().receiveToEnd(DOWN);
            assertThat(received.isPrefix()).isTrue();
            assertThat(received.ending()).isEqualTo(Ending.RESET);
        }
    }

    @Test
    void aResetByAClientThatDoesNotReadEndsTheServersWrite() throws Exception {
        Flow flow = openOne();
        Future<?> sending = beside(() -> flow.server().send(DOWN, ENDLESS));
        idle(Duration.ofMillis(200));
        flow.client().reset();
        assertFailsSoon(sending);
    }

    @Test
    void aResetByAServerThatDoesNotReadEndsTheClientsWrite() throws Exception {
        Flow flow = openOne();
        Future<?> sending = beside(() -> flow.client().send(UP, ENDLESS));
        idle(Duration.ofMillis(200));
        flow.server().reset();
        assertFailsSoon(sending);
    }

    @Test
    void aResetWhileNeitherSideReadsEndsBothWrites() throws Exception {
        Flow flow = openOne();
        Future<?> down = beside(() -> flow.server().send(DOWN, ENDLESS));
        Future<?> up = beside(() -> flow.client().send(UP, ENDLESS));
        idle(Duration.ofMillis(200));
        flow.client().reset();
        assertFailsSoon(up);
        assertFailsSoon(down);
    }

    private static void assertFailsSoon(Future<?> sending) {
        assertThatThrownBy(() -> sending.get(SOON.toMillis(), TimeUnit.MILLISECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(IOException.class);
    }

    @Test
    void aServersResetAfterTheClientsFinReachesTheClient() throws Exception {
        Flow flow = openOne();
        flow.client().finish();
        assertThat(flow.server().receiveToEnd(UP)).isEqualTo(intact(0, Ending.EOF));
        flow.server().send(DOWN, KIB);
        assertThat(flow.client().receive(DOWN, 0, KIB)).isEqualTo(intact(KIB, Ending.OPEN));
        flow.server().reset();
        assertThat(flow.client().receiveToEnd(DOWN)).isEqualTo(intact(0, Ending.RESET));
    }

    @Test
    void aClientsResetAfterTheServersFinReachesTheServer() throws Exception {
        Flow flow = openOne();
        flow.server().finish();
        assertThat(flow.client().receiveToEnd(DOWN)).isEqualTo(intact(0, Ending.EOF));
        flow.client().send(UP, KIB);
        assertThat(flow.server().receive(UP, 0, KIB)).isEqualTo(intact(KIB, Ending.OPEN));
        flow.client().reset();
        assertThat(flow.server().receiveToEnd(UP)).isEqualTo(intact(0, Ending.RESET));
    }

    @Test
    void aResetOnAcceptReachesTheClient() throws Exception {
        ProxyUnderTest proxy = proxy();
        Backend backend = backend(Behaviour.resetOnAccept());
        InetSocketAddress service = serve(proxy, backend.address());
        for (int i = 0; i < 50; i++) {
            assertThat(Peer.fetch(service, DOWN)).isEqualTo(intact(0, Ending.RESET));
        }
        assertThat(backend.accepted()).isEqualTo(50);
    }

    @Test
    void aCloseOnAcceptReachesTheClientAsEnd() throws Exception {
        ProxyUnderTest proxy = proxy();
        Backend backend = backend(Behaviour.closeOnAccept());
        InetSocketAddress service = serve(proxy, backend.address());
        for (int i = 0; i < 50; i++) {
            assertThat(Peer.fetch(service, DOWN)).isEqualTo(intact(0, Ending.EOF));
        }
        assertThat(backend.accepted()).isEqualTo(50);
    }

    @Test
    void aResetOfOneFlowLeavesTheOthersAlone() throws Exception {
        ProxyUnderTest proxy = proxy();
        ScriptedBackend backend = scriptedBackend();
        InetSocketAddress service = serve(proxy, backend.address());
        List<Flow> flows = open(20, service, backend);
        Flow reset = flows.remove(7);
        reset.server().reset();
        assertThat(reset.client().receiveToEnd(DOWN)).isEqualTo(intact(0, Ending.RESET));
        for (Flow flow : flows) {
            exchangeMebibyte(flow);
        }
        exchangeMebibyte(open(service, backend));
    }

    private void exchangeMebibyte(Flow flow) throws Exception {
        Future<Received> up = beside(() -> flow.server().receive(UP, 0, MIB));
        flow.client().send(UP, MIB);
        assertThat(result(up)).isEqualTo(intact(MIB, Ending.OPEN));
        Future<Received> down = beside(() -> flow.client().receive(DOWN, 0, MIB));
        flow.server().send(DOWN, MIB);
        assertThat(result(down)).isEqualTo(intact(MIB, Ending.OPEN));
    }
}
