package dev.sluice.netty;

import static dev.sluice.peer.Received.intact;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.balance.BackendSelector;
import dev.sluice.balance.BackendSelectorFactory;
import dev.sluice.check.DescriptorCheck;
import dev.sluice.check.Descriptors;
import dev.sluice.config.ProxyConfig;
import dev.sluice.model.Endpoint;
import dev.sluice.model.EndpointSet;
import dev.sluice.model.IpAddress;
import dev.sluice.model.IpFamily;
import dev.sluice.model.ServicePort;
import dev.sluice.model.ServicePortName;
import dev.sluice.peer.Backend;
import dev.sluice.peer.Behaviour;
import dev.sluice.peer.ClosedPort;
import dev.sluice.peer.Content;
import dev.sluice.peer.Ending;
import dev.sluice.peer.Peer;
import dev.sluice.peer.Received;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** From the first listener to the end of the last thread. */
@Timeout(60)
@ExtendWith(DescriptorCheck.class)
final class NettyServiceListenersTest {
    private static final Content NOTHING = Content.of(0);
    private static final Duration SOON = Duration.ofSeconds(5);

    @OnEachTransport
    void aListenerLivesFromOpenToClose(NettyTransport transport) throws Exception {
        try (Services services = new Services(Services.config(transport));
                Backend one = Backend.start(Behaviour.id("1"));
                Backend two = Backend.start(Behaviour.id("2"))) {
            InetSocketAddress web = services.open("web", one.address());
            assertThat(ask(web)).isEqualTo("1");
            assertThat(services.update("web", two.address())).isEqualTo(web);
            assertThat(ask(web)).isEqualTo("2");
            services.close("web");
            assertThatThrownBy(() -> Peer.connect(web)).isInstanceOf(ConnectException.class);
            assertThat(services.listeners().address(Services.name("web"))).isEmpty();
            assertThatThrownBy(() -> services.close("web"))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("web");
        }
    }

    private static String ask(InetSocketAddress service) throws IOException {
        try (Peer client = Peer.connect(service)) {
            return client.receiveText(1);
        }
    }

    @OnEachTransport
    void aListenerWhosePortWasTakenMoves(NettyTransport transport) throws Exception {
        try (Services services = new Services(Services.config(transport));
                Backend backend = Backend.start(Behaviour.id("1"));
                ServerSocket thief = new ServerSocket()) {
            InetSocketAddress before = services.open("web");
            thief.setReuseAddress(true);
            thief.bind(before);
            InetSocketAddress after = services.update("web", backend.address());
            assertThat(after.getPort()).isNotEqualTo(before.getPort());
            assertThat(ask(after)).isEqualTo("1");
            services.close("web");
        }
    }

    @OnEachTransport
    void closingResetsConnectionsAndLeavesNothing(NettyTransport transport) throws Exception {
        int before = Descriptors.open();
        Services services = new Services(Services.config(transport));
        try (Backend backend = Backend.start(Behaviour.banner("hello"));
                ClosedPort closed = ClosedPort.open()) {
            InetSocketAddress web = services.open("web", backend.address());
            services.open("empty");
            InetSocketAddress refusing = services.open("refusing", closed.address());
            List<Peer> clients = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                Peer client = Peer.connect(web);
                assertThat(client.receiveText(5)).isEqualTo("hello");
                clients.add(client);
                clients.add(Peer.connect(refusing));
            }
            for (String name : List.of("web", "empty", "refusing")) {
                services.close(name);
            }
            services.close();
            services.close();
            for (Peer client : clients) {
                assertThat(client.receiveToEnd(NOTHING)).isEqualTo(intact(0, Ending.RESET));
                client.close();
            }
            assertThat(services.listeners().activeConnections()).isZero();
        }
        await().atMost(SOON).untilAsserted(() -> assertThat(Descriptors.open()).isEqualTo(before));
        await().atMost(SOON).untilAsserted(() -> assertThat(eventLoopThreads()).isEmpty());
    }

    private static List<String> eventLoopThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("sluice-"))
                .toList();
    }

    @OnEachTransport
    void clientsOverTheLimitAreResetAndLaterOnesServed(NettyTransport transport) throws Exception {
        ProxyConfig.Connections limits =
                Services.connections(
                        OptionalInt.of(5), Duration.ofMinutes(1), Duration.ofMinutes(1));
        try (Services services = new Services(Services.config(transport, limits));
                Backend backend = Backend.start(Behaviour.banner("hello"))) {
            InetSocketAddress web = services.open("web", backend.address());
            List<Peer> served = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                Peer client = Peer.connect(web);
                assertThat(client.receiveText(5)).isEqualTo("hello");
                served.add(client);
            }
            for (int i = 0; i < 20; i++) {
                assertThat(Peer.fetch(web, NOTHING)).isEqualTo(intact(0, Ending.RESET));
            }
            assertThat(services.listeners().activeConnections()).isEqualTo(5);
            assertThat(backend.accepted()).isEqualTo(5);
            served.forEach(Peer::close);
            await().atMost(SOON).until(() -> services.listeners().activeConnections() == 0);
            try (Peer client = Peer.connect(web)) {
                assertThat(client.receiveText(5)).isEqualTo("hello");
            }
            services.close("web");
        }
    }

    /** A Service whose only endpoint is the listener of the next one, round and round. */
    @OnEachTransport
    void aRingOfServicesIsBroken(NettyTransport transport) throws Exception {
        try (Services services = new Services(Services.config(transport));
                Backend good = Backend.start(Behaviour.id("1"))) {
            InetSocketAddress a = services.open("a", good.address());
            InetSocketAddress b = services.open("b", a);
            services.update("a", b);
            assertThat(Peer.fetch(a, NOTHING).ending()).isEqualTo(Ending.RESET);
            assertThat(Peer.fetch(b, NOTHING).ending()).isEqualTo(Ending.RESET);
            services.update("a", b, good.address());
            for (int i = 0; i < 10; i++) {
                assertThat(ask(a)).isEqualTo("1");
            }
            assertThat(good.accepted()).isEqualTo(10);
            services.close("a");
            services.close("b");
        }
    }

    private static BackendSelectorFactory allWith(BackendSelector selector) {
        return new BackendSelectorFactory() {
            @Override
            public BackendSelector selector(
                    ServicePort servicePort, EndpointSet set, IpFamily family) {
                return selector;
            }

            @Override
            public void remove(ServicePortName name) {}
        };
    }

    @OnEachTransport
    void aSelectorThatThrowsCostsItsConnectionOnly(NettyTransport transport) throws Exception {
        BackendSelector faulty =
                new BackendSelector() {
                    @Override
                    public Optional<Endpoint> select(IpAddress client, Set<Endpoint> tried) {
                        throw new IllegalStateException("made by the test");
                    }

                    @Override
                    public void dialFailed(IpAddress client, Endpoint endpoint) {}
                };
        try (Services services = new Services(Services.config(transport), allWith(faulty));
                Backend backend = Backend.start(Behaviour.id("1"));
                CapturedLog log = new CapturedLog(Dialer.class)) {
            InetSocketAddress web = services.open("web", backend.address());
            for (int i = 0; i < 5; i++) {
                Received received = Peer.fetch(web, NOTHING);
                assertThat(received).isEqualTo(intact(0, Ending.RESET));
            }
            assertThat(log.lines())
                    .hasSize(5)
                    .allMatch(line -> line.startsWith("ERROR a dial ends by a fault"));
            assertThat(services.listeners().activeConnections()).isZero();
            services.close("web");
        }
    }
}
