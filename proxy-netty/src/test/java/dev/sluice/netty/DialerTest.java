package dev.sluice.netty;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.balance.BackendSelector;
import dev.sluice.check.DescriptorCheck;
import dev.sluice.config.ProxyConfig;
import dev.sluice.model.Endpoint;
import dev.sluice.model.IpAddress;
import dev.sluice.netty.ConnectionCounters.Event;
import dev.sluice.peer.Backend;
import dev.sluice.peer.Behaviour;
import dev.sluice.peer.BlackHole;
import dev.sluice.peer.ClosedPort;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Which endpoints are dialled, how often, and what the selector hears of it. */
@Timeout(30)
@ExtendWith(DescriptorCheck.class)
final class DialerTest {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final IpAddress CLIENT = IpAddress.parse("10.1.2.3");
    private static final String NONE = "none";

    /** Goes through a list in order, and keeps what it was told. */
    private static final class InOrder implements BackendSelector {
        private final List<Endpoint> endpoints;
        private final List<Set<Endpoint>> asked = new CopyOnWriteArrayList<>();
        private final List<Endpoint> failed = new CopyOnWriteArrayList<>();

        InOrder(InetSocketAddress... endpoints) {
            this.endpoints = List.of(endpoints).stream().map(Services::endpoint).toList();
        }

        @Override
        public Optional<Endpoint> select(IpAddress client, Set<Endpoint> tried) {
            assertThat(client).isEqualTo(CLIENT);
            asked.add(Set.copyOf(tried));
            return endpoints.stream().filter(endpoint -> !tried.contains(endpoint)).findFirst();
        }

        @Override
        public void dialFailed(IpAddress client, Endpoint endpoint) {
            assertThat(client).isEqualTo(CLIENT);
            failed.add(endpoint);
        }
    }

    private final ConnectionCounters counters = new ConnectionCounters();
    private final CompletableFuture<String> outcome = new CompletableFuture<>();

    /** Closes what answers; says who it was. */
    private final Dialer.Outcome callee =
            new Dialer.Outcome() {
                @Override
                public void connected(Endpoint endpoint, StreamSocket backend) {
                    backend.close();
                    outcome.complete(endpoint.toString());
                }

                @Override
                public void unanswered() {
                    if (!outcome.complete(NONE)) {
                        throw new IllegalStateException("two outcomes");
                    }
                }
            };

    private static ProxyConfig.Dial limits(
            boolean allowLoopback, Duration total, Duration pause, Duration... tries) {
        return new ProxyConfig.Dial(List.of(tries), total, pause, allowLoopback);
    }

    private static final Duration SHORT = Duration.ofMillis(50);
    private static final Duration LONG = Duration.ofSeconds(5);

    private Dialer start(OneLoop loop, ProxyConfig.Dial limits, BackendSelector selector)
            throws Exception {
        Dialer dialer =
                new Dialer(
                        loop.loop(),
                        limits,
                        new DialGuard(limits.allowLoopback()),
                        counters,
                        selector,
                        CLIENT,
                        callee);
        loop.run(dialer::start);
        return dialer;
    }

    private static List<Endpoint> endpoints(InetSocketAddress... addresses) {
        return List.of(addresses).stream().map(Services::endpoint).toList();
    }

    private void assertOutcome(String expected) {
        assertThat(outcome).succeedsWithin(PATIENCE).isEqualTo(expected);
    }

    @OnEachTransport
    void endpointsAreTriedUntilOneAnswers(NettyTransport transport) throws Exception {
        try (OneLoop loop = new OneLoop(transport);
                ClosedPort refusing = ClosedPort.open();
                BlackHole silent = BlackHole.open();
                Backend good = Backend.start(Behaviour.echo())) {
            InOrder selector = new InOrder(refusing.address(), silent.address(), good.address());
            start(loop, limits(true, LONG, SHORT, LONG, SHORT, LONG), selector);
            assertOutcome(Services.endpoint(good.address()).toString());
            assertThat(selector.failed).isEqualTo(endpoints(refusing.address(), silent.address()));
            assertThat(selector.asked)
                    .containsExactly(
                            Set.of(),
                            Set.copyOf(endpoints(refusing.address())),
                            Set.copyOf(endpoints(refusing.address(), silent.address())));
            assertThat(counters.get(Event.DIAL_FAILED)).isEqualTo(2);
        }
    }

    @OnEachTransport
    void triesAreCounted(NettyTransport transport) throws Exception {
        List<ClosedPort> refusing = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            refusing.add(ClosedPort.open());
        }
        try (OneLoop loop = new OneLoop(transport)) {
            InetSocketAddress[] addresses =
                    refusing.stream().map(ClosedPort::address).toArray(InetSocketAddress[]::new);
            InOrder selector = new InOrder(addresses);
            start(loop, limits(true, LONG, SHORT, LONG, LONG, LONG), selector);
            assertOutcome(NONE);
            assertThat(selector.failed).isEqualTo(endpoints(addresses).subList(0, 3));
        } finally {
            for (ClosedPort port : refusing) {
                port.close();
            }
        }
    }

    @OnEachTransport
    void aSoleEndpointThatRefusesIsTriedInEveryRound(NettyTransport transport) throws Exception {
        try (OneLoop loop = new OneLoop(transport);
                ClosedPort refusing = ClosedPort.open()) {
            InOrder selector = new InOrder(refusing.address());
            start(loop, limits(true, LONG, Duration.ofMillis(1), LONG, LONG, LONG), selector);
            assertOutcome(NONE);
            Endpoint sole = Services.endpoint(refusing.address());
            assertThat(selector.failed).containsExactly(sole, sole, sole);
            // A further round asks for another one first, and then for the only one there is.
            assertThat(selector.asked)
                    .containsExactly(
                            Set.of(),
                            Set.of(sole),
                            Set.of(sole),
                            Set.of(),
                            Set.of(sole),
                            Set.of(sole),
                            Set.of());
        }
    }

    @OnEachTransport
    void theTotalLimitEndsATry(NettyTransport transport) throws Exception {
        try (OneLoop loop = new OneLoop(transport);
                BlackHole silent = BlackHole.open()) {
            InOrder selector = new InOrder(silent.address());
            start(loop, limits(true, SHORT, SHORT, LONG, LONG), selector);
            assertOutcome(NONE);
            assertThat(selector.failed).hasSize(1);
        }
    }

    @OnEachTransport
    void whoCancelsHearsNothingAndLeavesNothing(NettyTransport transport) throws Exception {
        try (OneLoop loop = new OneLoop(transport);
                BlackHole silent = BlackHole.open()) {
            InOrder selector = new InOrder(silent.address());
            Dialer dialer = start(loop, limits(true, LONG, SHORT, LONG), selector);
            loop.run(() -> {});
            loop.run(dialer::cancel);
            loop.run(() -> {});
            assertThat(outcome).isNotDone();
            assertThat(selector.failed).isEmpty();
            assertThat(silent.waiting()).isZero();
        }
    }

    @OnEachTransport
    void forbiddenEndpointsArePassedOver(NettyTransport transport) throws Exception {
        try (OneLoop loop = new OneLoop(transport);
                Backend good = Backend.start(Behaviour.echo())) {
            InetSocketAddress[] addresses = new InetSocketAddress[6];
            for (int i = 0; i < 5; i++) {
                addresses[i] = Services.address("169.254.0." + (i + 1), 80);
            }
            addresses[5] = good.address();
            InOrder selector = new InOrder(addresses);
            start(loop, limits(true, LONG, SHORT, LONG), selector);
            assertOutcome(Services.endpoint(good.address()).toString());
            assertThat(selector.failed).isEmpty();
            assertThat(counters.get(Event.DIAL_FORBIDDEN)).isEqualTo(5);
        }
    }

    @OnEachTransport
    void whereAllAreForbiddenTheEndComesAtOnce(NettyTransport transport) throws Exception {
        try (OneLoop loop = new OneLoop(transport)) {
            InOrder selector =
                    new InOrder(
                            Services.address("127.0.0.1", 9), Services.address("169.254.0.1", 9));
            start(loop, limits(false, LONG, Duration.ofHours(1), LONG, LONG), selector);
            assertOutcome(NONE);
            assertThat(selector.asked).hasSize(3);
            assertThat(selector.failed).isEmpty();
            assertThat(counters.nonZero()).isEqualTo(Map.of(Event.DIAL_FORBIDDEN, 2L));
        }
    }

    @OnEachTransport
    void withoutASelectableEndpointTheEndComesAtOnce(NettyTransport transport) throws Exception {
        try (OneLoop loop = new OneLoop(transport)) {
            start(loop, limits(true, LONG, Duration.ofHours(1), LONG), new InOrder());
            assertOutcome(NONE);
        }
    }
}
