package dev.sluice.netty.contract;

import static dev.sluice.peer.Received.intact;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.peer.Backend;
import dev.sluice.peer.Behaviour;
import dev.sluice.peer.BlackHole;
import dev.sluice.peer.ClosedPort;
import dev.sluice.peer.Content;
import dev.sluice.peer.Ending;
import dev.sluice.peer.Loopback;
import dev.sluice.peer.Peer;
import dev.sluice.peer.Received;
import dev.sluice.peer.TcpTable;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A dead endpoint costs its clients little and the others nothing. */
abstract class DialContract extends SpliceContract {
    private static final Content CONTENT = Content.of(1);
    private static final Duration LONG = Duration.ofSeconds(30);

    DialContract(ProxyUnderTest.Factory proxies) {
        super(proxies);
    }

    private BlackHole blackHole() throws IOException {
        return closedAfterwards(BlackHole.open());
    }

    private ClosedPort closedPort() throws IOException {
        return closedAfterwards(ClosedPort.open());
    }

    /** Half of them meet the black hole first and pay the first try's 250 ms. */
    @Test
    void aBlackHoleDelaysNoClientByMoreThanATry() throws Exception {
        ProxyUnderTest proxy = proxy();
        InetSocketAddress good = backend(Behaviour.banner("hello")).address();
        InetSocketAddress service = serve(proxy, blackHole().address(), good);
        AtomicLong slowest = new AtomicLong();
        allAtOnce(
                40,
                number -> {
                    long start = System.nanoTime();
                    try (Peer client = Peer.connect(service)) {
                        assertThat(client.receiveText(5)).isEqualTo("hello");
                    }
                    long time = System.nanoTime() - start;
                    slowest.accumulateAndGet(time, Math::max);
                });
        assertThat(Duration.ofNanos(slowest.get()))
                .as("first byte of the slowest client")
                .isLessThanOrEqualTo(Duration.ofMillis(600));
    }

    @Test
    void whenEveryEndpointRefusesTheClientIsReset() throws Exception {
        ProxyUnderTest proxy = proxy();
        InetSocketAddress service = serve(proxy, closedPort().address(), closedPort().address());
        assertThat(Peer.fetch(service, CONTENT)).isEqualTo(intact(0, Ending.RESET));
    }

    /** Refusals that come at once must neither be tried without end nor deepen a stack. */
    @Test
    void whenTenThousandEndpointsRefuseTheClientsAreReset() throws Exception {
        ProxyUnderTest proxy = proxy();
        int port = closedPort().address().getPort();
        InetSocketAddress service =
                serve(
                        proxy,
                        IntStream.range(0, 10_000)
                                .mapToObj(i -> Loopback.numbered(i, port))
                                .toArray(InetSocketAddress[]::new));
        inParallel(
                100,
                number ->
                        assertThat(Peer.fetch(service, CONTENT))
                                .isEqualTo(intact(0, Ending.RESET)));
    }

    @Test
    void atMostFourEndpointsAreTriedOneAfterTheOther() throws Exception {
        assumeTrue(TcpTable.isReadable(), "without /proc/net/tcp no dial is seen: not tested");
        ProxyUnderTest proxy =
                proxy(
                        Tuning.DEFAULT.withDial(
                                Collections.nCopies(4, Duration.ofSeconds(1)),
                                LONG,
                                Duration.ofMillis(100)));
        List<BlackHole> holes = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            holes.add(blackHole());
        }
        InetSocketAddress service =
                serve(
                        proxy,
                        holes.stream().map(BlackHole::address).toArray(InetSocketAddress[]::new));
        Future<Received> client = beside(() -> Peer.fetch(service, CONTENT));
        Set<BlackHole> tried = new HashSet<>();
        while (!client.isDone()) {
            Set<Integer> dialled = TcpTable.portsBeingConnectedTo();
            holes.stream()
                    .filter(hole -> dialled.contains(hole.address().getPort()))
                    .forEach(tried::add);
            idle(Duration.ofMillis(5));
        }
        assertThat(result(client)).isEqualTo(intact(0, Ending.RESET));
        assertThat(tried).hasSize(4);
    }

    @Test
    void whenNoEndpointAnswersTheClientIsResetAtTheTotalLimit() throws Exception {
        ProxyUnderTest proxy =
                proxy(
                        Tuning.DEFAULT.withDial(
                                Collections.nCopies(4, LONG),
                                Duration.ofMillis(500),
                                Duration.ofMillis(100)));
        InetSocketAddress service = serve(proxy, blackHole().address(), blackHole().address());
        assertThat(Peer.fetch(service, CONTENT)).isEqualTo(intact(0, Ending.RESET));
    }

    @Test
    void aSoleEndpointThatRefusedIsTriedAgain() throws Exception {
        ProxyUnderTest proxy =
                proxy(
                        Tuning.DEFAULT.withDial(
                                Collections.nCopies(4, Duration.ofSeconds(1)),
                                LONG,
                                Duration.ofSeconds(1)));
        ClosedPort starting = closedPort();
        InetSocketAddress endpoint = starting.address();
        InetSocketAddress service = serve(proxy, endpoint);
        Peer client = connect(service);
        client.send("hello");
        idle(Duration.ofMillis(300));
        starting.close();
        closedAfterwards(Backend.start(endpoint, Behaviour.echo()));
        assertThat(client.receiveText(5)).isEqualTo("hello");
    }

    @Test
    void aClientThatLeavesEndsItsDial() throws Exception {
        assumeTrue(TcpTable.isReadable(), "without /proc/net/tcp no dial is seen: not tested");
        ProxyUnderTest proxy =
                proxy(Tuning.DEFAULT.withDial(List.of(LONG), LONG, Duration.ofMillis(100)));
        BlackHole hole = blackHole();
        InetSocketAddress service = serve(proxy, hole.address());
        List<Peer> clients = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            clients.add(connect(service));
        }
        await().atMost(SOON).until(() -> hole.waiting() == 50);
        for (Peer client : clients) {
            client.reset();
        }
        await().atMost(Duration.ofSeconds(1)).until(() -> hole.waiting() == 0);
        awaitNoConnections(proxy, Duration.ofSeconds(1));
    }

    @Test
    void whatAClientSendsDuringTheDialComesFirstAndOnce() throws Exception {
        ProxyUnderTest proxy = proxy();
        InetSocketAddress good = backend(Behaviour.echo()).address();
        InetSocketAddress service = serve(proxy, blackHole().address(), good);
        allAtOnce(
                8,
                number -> {
                    Content content = Content.of(number);
                    try (Peer client = Peer.connect(service)) {
                        Future<Received> echo = beside(() -> client.receiveToEnd(content));
                        client.send(content, 64 * KIB);
                        idle(Duration.ofMillis(400));
                        client.send(content, 64 * KIB, 10 * MIB);
                        client.finish();
                        assertThat(result(echo)).isEqualTo(intact(10 * MIB + 64 * KIB, Ending.EOF));
                    }
                });
    }

    @Test
    void aClientThatSendsMuchDuringTheDialIsHeldBack() throws Exception {
        ProxyUnderTest proxy = proxy();
        InetSocketAddress good = backend(Behaviour.echo()).address();
        InetSocketAddress service = serve(proxy, blackHole().address(), good);
        allAtOnce(
                8,
                number -> {
                    Content content = Content.of(number);
                    try (Peer client = Peer.connect(service)) {
                        Future<Received> echo = beside(() -> client.receiveToEnd(content));
                        client.send(content, 10 * MIB);
                        client.finish();
                        assertThat(result(echo)).isEqualTo(intact(10 * MIB, Ending.EOF));
                    }
                });
    }

    @Test
    void aClientThatFinishesDuringTheDialGetsItsReply() throws Exception {
        ProxyUnderTest proxy = proxy();
        InetSocketAddress good =
                backend(Behaviour.answerAfterEnd(Duration.ZERO, CONTENT, MIB)).address();
        InetSocketAddress service = serve(proxy, blackHole().address(), good);
        allAtOnce(
                8,
                number -> {
                    try (Peer client = Peer.connect(service)) {
                        client.send("GET");
                        client.finish();
                        assertThat(client.receiveToEnd(CONTENT)).isEqualTo(intact(MIB, Ending.EOF));
                    }
                });
    }

    /** The backend may have acted on the connection: what it did is the client's answer. */
    @Test
    void afterAHandshakeNoOtherEndpointIsTried() throws Exception {
        ProxyUnderTest proxy = proxy();
        for (Behaviour behaviour : List.of(Behaviour.resetOnAccept(), Behaviour.closeOnAccept())) {
            Backend first = backend(behaviour);
            Backend second = backend(behaviour);
            InetSocketAddress service = serve(proxy, first.address(), second.address());
            for (int i = 0; i < 50; i++) {
                assertThat(Peer.fetch(service, CONTENT).bytes()).isZero();
            }
            assertThat(first.accepted()).isEqualTo(25);
            assertThat(second.accepted()).isEqualTo(25);
        }
    }

    @Test
    void theProxyNeverDialsItself() throws Exception {
        ProxyUnderTest proxy = proxy();
        InetSocketAddress good = backend(Behaviour.banner("hello")).address();
        InetSocketAddress service = serve(proxy, good);
        InetSocketAddress other = serve(proxy, good);
        proxy.setEndpoints(service, List.of(service));
        try {
            assertThat(Peer.fetch(service, CONTENT)).isEqualTo(intact(0, Ending.RESET));
        } catch (ConnectException refused) {
            // As good an answer: an endpoint that may not be dialled is none.
        }
        awaitNoConnections(proxy, SOON);
        assertThat(connect(other).receiveText(5)).isEqualTo("hello");
    }
}
