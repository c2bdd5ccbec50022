package dev.sluice.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.balance.BackendSelector;
import dev.sluice.check.DescriptorCheck;
import dev.sluice.config.ProxyConfig;
import dev.sluice.model.Answer;
import dev.sluice.model.Endpoint;
import dev.sluice.model.FrontEnd;
import dev.sluice.model.IpAddress;
import dev.sluice.model.LocalSources;
import dev.sluice.model.Protocol;
import dev.sluice.model.SourceRanges;
import dev.sluice.netty.ConnectionCounters.Event;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

/**
 * What becomes of a client by its original destination, by the limit, and when it can't be taken.
 * The sockets are played: no test without a redirect has an original destination, and no kernel
 * refuses an accept when asked to.
 */
@Timeout(30)
@ExtendWith(DescriptorCheck.class)
final class AcceptorTest {
    private static final FrontEnd WITH_ENDPOINTS = frontEnd("192.0.2.1");
    private static final FrontEnd WITHOUT_ENDPOINTS = frontEnd("192.0.2.2");
    private static final IpAddress CLIENT = IpAddress.parse("10.1.2.3");

    private final OneLoop loop = new OneLoop(new NioTransport());
    private final ConnectionCounters counters = new ConnectionCounters();
    private final ConnectionLimit limit = new ConnectionLimit(OptionalInt.of(3), 1024);
    private PlayedListener listener = new PlayedListener(new IOException("made by the test"));
    private final NamedSelector selector = new NamedSelector();

    private static FrontEnd frontEnd(String address) {
        return new FrontEnd(IpAddress.parse(address), 80, Protocol.TCP);
    }

    @AfterEach
    void close() {
        loop.close();
    }

    /** Has no endpoint, so that its connections end as unanswered. */
    private static final class NamedSelector implements BackendSelector {
        private final AtomicInteger asked = new AtomicInteger();

        @Override
        public Optional<Endpoint> select(IpAddress client, Set<Endpoint> tried) {
            asked.incrementAndGet();
            return Optional.empty();
        }

        @Override
        public void dialFailed(IpAddress client, Endpoint endpoint) {}
    }

    private static final class PlayedClient extends StreamSocket {
        private final @Nullable FrontEnd destination;
        private final AtomicInteger resets = new AtomicInteger();
        private volatile @Nullable Throwable fault;

        PlayedClient(@Nullable FrontEnd destination) {
            super(CLIENT, 40_000);
            this.destination = destination;
        }

        @Override
        boolean finishConnect() {
            return true;
        }

        @Override
        void register(ConnectionLoop on) {}

        @Override
        @Nullable FrontEnd originalDestination() {
            Throwable failure = fault;
            if (failure != null) {
                raiseUnchecked(failure);
            }
            return destination;
        }

        @Override
        void interest(int events) {}

        @Override
        @Nullable TcpInfo tcpInfo() {
            return null;
        }

        @Override
        int receive(ByteBuffer into) {
            return 0;
        }

        @Override
        int send(ByteBuffer from) {
            return 0;
        }

        @Override
        void sendFin() {}

        @Override
        void close() {
            throw new IllegalStateException("a client that is not served must see a reset");
        }

        @Override
        void reset() {
            resets.incrementAndGet();
        }
    }

    private static void raise(Throwable failure) throws IOException {
        if (failure instanceof IOException e) {
            throw e;
        }
        raiseUnchecked(failure);
    }

    private static void raiseUnchecked(Throwable failure) {
        if (failure instanceof Error e) {
            throw e;
        }
        throw (RuntimeException) failure;
    }

    private static List<Throwable> faults() {
        return List.of(
                new IllegalStateException("made by the test"),
                new OutOfMemoryError("made by the test"));
    }

    /** Gives out what waits; an exception is thrown instead. */
    private static final class PlayedListener implements ListenSocket {
        private final Queue<Object> waiting = new ArrayDeque<>();
        private final List<String> calls = new CopyOnWriteArrayList<>();
        private final Throwable failureOfResume;

        PlayedListener(Throwable failureOfResume) {
            this.failureOfResume = failureOfResume;
        }

        @Override
        public InetSocketAddress address() {
            return new InetSocketAddress(InetAddress.getLoopbackAddress(), 20_000);
        }

        @Override
        public void listen(ConnectionLoop on, Runnable onReady) {}

        @Override
        public void pause() {
            calls.add("pause");
        }

        @Override
        public void resume() throws IOException {
            calls.add("resume");
            if (calls.size() == 2) {
                raise(failureOfResume);
            }
        }

        @Override
        public void refuse() {}

        @Override
        public void awaitRefusal(ConnectionLoop on) {}

        @Override
        public @Nullable StreamSocket accept() throws IOException {
            Object next = waiting.poll();
            if (next instanceof Throwable e) {
                raise(e);
            }
            return (StreamSocket) next;
        }

        @Override
        public void close() {}
    }

    private Acceptor acceptor(boolean direct) {
        return acceptor(direct, loop::loop);
    }

    private Acceptor acceptor(boolean direct, Supplier<ConnectionLoop> nextLoop) {
        Route open = Route.of(Answer.SERVE, selector);
        Route refused = Route.of(Answer.REFUSE, selector);
        Entrance served = new Entrance(SourceRanges.ANY, open, open);
        Backends backends =
                new Backends(
                        Services.name("web"),
                        Map.of(
                                WITH_ENDPOINTS,
                                served,
                                WITHOUT_ENDPOINTS,
                                new Entrance(SourceRanges.ANY, refused, refused)),
                        direct ? Optional.of(served) : Optional.empty());
        return new Acceptor(
                loop.loop(),
                listener,
                direct ? client -> null : StreamSocket::originalDestination,
                nextLoop,
                ProxyConfig.embedded().dial(),
                new DialGuard(true),
                limit,
                counters,
                new RateLimitedWarning(LoggerFactory.getLogger(AcceptorTest.class)),
                () -> LocalSources.NONE,
                backends);
    }

    private void accept(Acceptor acceptor, Object... arrivals) throws Exception {
        listener.waiting.addAll(List.of(arrivals));
        loop.run(acceptor::acceptWaiting);
        await().until(() -> limit.active() == 0);
    }

    @Test
    void onlyWhatWasRedirectedFromAFrontEndIsServed() throws Exception {
        PlayedClient served = new PlayedClient(WITH_ENDPOINTS);
        PlayedClient late = new PlayedClient(WITHOUT_ENDPOINTS);
        PlayedClient stray = new PlayedClient(frontEnd("10.0.0.1"));
        PlayedClient unredirected = new PlayedClient(null);
        Acceptor acceptor = acceptor(false);
        for (PlayedClient client : List.of(served, late, stray, unredirected)) {
            accept(acceptor, client);
            assertThat(client.resets).hasValue(1);
        }
        assertThat(selector.asked).hasValue(1);
        assertThat(counters.nonZero())
                .isEqualTo(
                        Map.of(
                                Event.ACCEPTED, 1L,
                                Event.UNANSWERED, 1L,
                                Event.ENDED, 1L,
                                Event.NO_ENDPOINT, 1L,
                                Event.NOT_REDIRECTED, 2L));
    }

    @Test
    void whereNothingRedirectsEverybodyIsServed() throws Exception {
        accept(acceptor(true), new PlayedClient(null));
        assertThat(selector.asked).hasValue(1);
    }

    @Test
    void whoIsOverTheLimitIsReset() throws Exception {
        PlayedClient[] clients = new PlayedClient[5];
        for (int i = 0; i < clients.length; i++) {
            clients[i] = new PlayedClient(WITH_ENDPOINTS);
        }
        try (CapturedLog log = new CapturedLog(AcceptorTest.class)) {
            accept(acceptor(false), (Object[]) clients);
            assertThat(log.lines())
                    .containsExactly(
                            "WARN more than 3 connections: new ones are reset (connections.max)");
        }
        assertThat(clients).allMatch(client -> client.resets.get() == 1);
        assertThat(counters.get(Event.OVER_LIMIT)).isEqualTo(2);
        assertThat(counters.get(Event.ACCEPTED)).isEqualTo(3);
    }

    @Test
    void clientsThatCantBeTakenAreToldAndTheListenerRests() throws Exception {
        PlayedClient told = new PlayedClient(WITH_ENDPOINTS);
        IOException noDescriptor = new IOException("Too many open files");
        try (CapturedLog log = new CapturedLog(AcceptorTest.class)) {
            accept(acceptor(false), noDescriptor, told);
            assertThat(told.resets).hasValue(1);
            assertThat(counters.nonZero()).isEqualTo(Map.of(Event.NO_DESCRIPTOR, 1L));
            // A resume that fails is tried again.
            await().untilAsserted(
                            () ->
                                    assertThat(listener.calls)
                                            .containsExactly("pause", "resume", "pause", "resume"));
            assertThat(log.lines())
                    .containsExactly("WARN connections can't be taken: Too many open files");
        }
    }

    @ParameterizedTest
    @MethodSource("faults")
    void aFaultDoesNotReachTheEventLoop(Throwable fault) throws Exception {
        try (CapturedLog log = new CapturedLog(Acceptor.class)) {
            accept(acceptor(false), fault);
            assertThat(log.lines()).hasSize(1).allMatch(line -> line.startsWith("ERROR"));
        }
        await().untilAsserted(() -> assertThat(listener.calls).contains("resume"));
    }

    @ParameterizedTest
    @MethodSource("faults")
    void norDoesOneWhileClientsAreTurnedAway(Throwable fault) throws Exception {
        try (CapturedLog log = new CapturedLog(Acceptor.class)) {
            accept(acceptor(false), new IOException("Too many open files"), fault);
            assertThat(log.lines()).hasSize(1).allMatch(line -> line.startsWith("ERROR"));
        }
        await().untilAsserted(() -> assertThat(listener.calls).contains("resume"));
    }

    @ParameterizedTest
    @MethodSource("faults")
    void aListenerThatCouldNotGoOnIsTriedAgain(Throwable fault) throws Exception {
        listener = new PlayedListener(fault);
        try (CapturedLog log = new CapturedLog(Acceptor.class)) {
            accept(acceptor(false), new IOException("Too many open files"));
            await().untilAsserted(
                            () ->
                                    assertThat(listener.calls)
                                            .containsExactly("pause", "resume", "pause", "resume"));
            assertThat(log.lines()).hasSize(1).allMatch(line -> line.startsWith("ERROR"));
        }
    }

    @ParameterizedTest
    @MethodSource("faults")
    void aClientThatCouldNotBeBegunIsReset(Throwable fault) throws Exception {
        PlayedClient client = new PlayedClient(WITH_ENDPOINTS);
        PlayedClient next = new PlayedClient(WITH_ENDPOINTS);
        client.fault = fault;
        try (CapturedLog log = new CapturedLog(Acceptor.class)) {
            accept(acceptor(false), client, next);
            assertThat(log.lines()).hasSize(1).allMatch(line -> line.startsWith("ERROR"));
        }
        assertThat(client.resets).hasValue(1);
        assertThat(next.resets).hasValue(1);
        assertThat(selector.asked).hasValue(1);
        assertThat(counters.get(Event.FAULT)).isEqualTo(1);
    }

    @ParameterizedTest
    @MethodSource("faults")
    void aClientThatNoLoopTakesIsReset(Throwable fault) throws Exception {
        PlayedClient client = new PlayedClient(WITH_ENDPOINTS);
        try (CapturedLog log = new CapturedLog(Acceptor.class)) {
            accept(
                    acceptor(
                            false,
                            () -> {
                                raiseUnchecked(fault);
                                return loop.loop();
                            }),
                    client);
            assertThat(log.lines()).hasSize(1).allMatch(line -> line.startsWith("ERROR"));
        }
        assertThat(client.resets).hasValue(1);
        assertThat(limit.active()).isZero();
        await().untilAsserted(() -> assertThat(listener.calls).contains("resume"));
    }
}
