package dev.sluice.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.check.DescriptorCheck;
import dev.sluice.model.Endpoint;
import dev.sluice.model.ExternalAccess;
import dev.sluice.model.FrontEnd;
import dev.sluice.model.IpAddress;
import dev.sluice.model.Protocol;
import dev.sluice.model.ServicePort;
import dev.sluice.model.TrafficPolicy;
import dev.sluice.peer.Backend;
import dev.sluice.peer.Behaviour;
import dev.sluice.peer.Peer;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** A NodePort is a socket on each address that it is served on. */
@Timeout(60)
@ExtendWith(DescriptorCheck.class)
final class NodePortTest {
    private static final String WEB = "web";

    @OnEachTransport
    void itIsServedOnEachOfItsAddressesAndOnNoOther(NettyTransport transport) throws Exception {
        int port = freePort();
        try (Services services = new Services(Services.config(transport));
                Backend backend = Backend.start(Behaviour.id("1"))) {
            services.listeners().open(web(port, backend, "127.0.0.2", "127.0.0.3"));

            assertThat(ask("127.0.0.2", port)).isEqualTo("1");
            assertThat(ask("127.0.0.3", port)).isEqualTo("1");
            assertRefused("127.0.0.4", port);
            services.close(WEB);
            assertRefused("127.0.0.2", port);
        }
    }

    @OnEachTransport
    void aLiveServiceGetsLosesAndMovesIt(NettyTransport transport) throws Exception {
        int port = freePort();
        int other = freePort();
        try (Services services = new Services(Services.config(transport));
                Backend backend = Backend.start(Behaviour.id("1"))) {
            InetSocketAddress main = services.open(WEB, backend.address());

            services.listeners().update(web(port, backend, "127.0.0.2"));
            assertThat(ask("127.0.0.2", port)).isEqualTo("1");

            services.listeners().update(web(port, backend, "127.0.0.3"));
            assertThat(ask("127.0.0.3", port)).isEqualTo("1");
            assertRefused("127.0.0.2", port);

            services.listeners().update(web(other, backend, "127.0.0.3"));
            assertThat(ask("127.0.0.3", other)).isEqualTo("1");
            assertRefused("127.0.0.3", port);

            assertThat(services.update(WEB, backend.address())).isEqualTo(main);
            assertRefused("127.0.0.3", other);
            assertThat(ask("127.0.0.1", main.getPort())).isEqualTo("1");
            services.close(WEB);
        }
    }

    @OnEachTransport
    void aConnectionOutlivesTheNodePortThatItCameThrough(NettyTransport transport)
            throws Exception {
        int port = freePort();
        try (Services services = new Services(Services.config(transport));
                Backend backend = Backend.start(Behaviour.echo())) {
            services.listeners().open(web(port, backend, "127.0.0.2"));
            try (Socket client = new Socket("127.0.0.2", port)) {
                client.getOutputStream().write('a');
                assertThat(client.getInputStream().read()).isEqualTo('a');

                services.update(WEB, backend.address());

                client.getOutputStream().write('b');
                assertThat(client.getInputStream().read()).isEqualTo('b');
            }
            services.close(WEB);
        }
    }

    @OnEachTransport
    void aTakenAddressFailsAloneAndIsServedOnceItIsFree(NettyTransport transport) throws Exception {
        int port = freePort();
        try (Services services = new Services(Services.config(transport));
                Backend backend = Backend.start(Behaviour.id("1"))) {
            ServicePort web = web(port, backend, "127.0.0.2", "127.0.0.3");
            try (ServerSocket other = new ServerSocket()) {
                other.bind(Services.address("127.0.0.2", port));
                services.listeners().open(web);

                assertThat(services.listeners().incomplete())
                        .containsOnlyKeys(web.name())
                        .hasEntrySatisfying(
                                web.name(),
                                why ->
                                        assertThat(why)
                                                .startsWith("NodePort 127.0.0.2:" + port + "/tcp: ")
                                                .contains("in use"));
                assertThat(ask("127.0.0.3", port)).isEqualTo("1");
                services.listeners().update(web);
                assertThat(services.listeners().incomplete()).hasSize(1);
            }

            services.listeners().update(web);

            assertThat(services.listeners().incomplete()).isEmpty();
            assertThat(ask("127.0.0.2", port)).isEqualTo("1");
            services.close(WEB);
        }
    }

    @OnEachTransport
    void anAddressThatTheNodeHasNotIsReported(NettyTransport transport) throws Exception {
        try (Services services = new Services(Services.config(transport));
                Backend backend = Backend.start(Behaviour.id("1"))) {
            services.listeners().open(web(freePort(), backend, "203.0.113.77"));

            assertThat(services.listeners().incomplete().get(Services.name(WEB)))
                    .contains("203.0.113.77");
            services.close(WEB);
        }
    }

    @OnEachTransport
    void withoutAnEndpointItRefusesAndComesBack(NettyTransport transport) throws Exception {
        int port = freePort();
        try (Services services = new Services(Services.config(transport));
                Backend backend = Backend.start(Behaviour.id("1"))) {
            services.listeners().open(web(port, List.of(), List.of(), "127.0.0.2"));
            assertRefused("127.0.0.2", port);

            services.listeners().update(web(port, backend, "127.0.0.2"));
            assertThat(ask("127.0.0.2", port)).isEqualTo("1");

            services.listeners().update(web(port, List.of(), List.of(), "127.0.0.2"));
            assertRefused("127.0.0.2", port);
            services.close(WEB);
        }
    }

    /** While it refuses on epoll the port is still claimed. */
    @OnEachTransport
    void aRefusingNodePortOnEpollIsNobodyElses(NettyTransport transport) throws Exception {
        int port = freePort();
        try (Services services = new Services(Services.config(transport));
                ServerSocket thief = new ServerSocket()) {
            services.listeners().open(web(port, List.of(), List.of(), "127.0.0.2"));
            if (transport.knowsOriginalDestination()) {
                thief.setReuseAddress(false);
                assertThatThrownBy(() -> thief.bind(Services.address("127.0.0.2", port)))
                        .isInstanceOf(BindException.class);
            }
            services.close(WEB);
        }
    }

    /** Clients on this node get the whole Service, and a loopback client is one. */
    @OnEachTransport
    void aLocalPolicyIsNoneForClientsOnTheNode(NettyTransport transport) throws Exception {
        int port = freePort();
        try (Services services = new Services(Services.config(transport));
                Backend backend = Backend.start(Behaviour.id("1"))) {
            List<Endpoint> endpoints = List.of(Services.endpoint(backend.address()));
            services.listeners().open(web(port, endpoints, List.of(), "127.0.0.2"));

            assertThat(ask("127.0.0.2", port)).isEqualTo("1");
            services.close(WEB);
        }
    }

    @OnEachTransport
    void rulesLeadToTheOtherFrontEndsOnly(NettyTransport transport) throws Exception {
        int port = freePort();
        try (Services services = new Services(Services.config(transport));
                Backend backend = Backend.start(Behaviour.id("1"))) {
            Map<FrontEnd, ?> targets =
                    services.listeners().open(web(port, backend, "127.0.0.2")).targets();

            assertThat(targets.keySet())
                    .doesNotContain(new FrontEnd(IpAddress.parse("127.0.0.2"), port, Protocol.TCP))
                    .hasSize(1);
            services.close(WEB);
        }
    }

    private static ServicePort web(int nodePort, Backend backend, String... addresses) {
        List<Endpoint> endpoints = List.of(Services.endpoint(backend.address()));
        return web(nodePort, endpoints, endpoints, addresses);
    }

    private static ServicePort web(
            int nodePort, List<Endpoint> endpoints, List<Endpoint> local, String... addresses) {
        ServicePort plain = Services.servicePort(WEB);
        return new ServicePort(
                plain.name(),
                plain.clusterIps(),
                plain.port(),
                plain.affinity(),
                endpoints,
                local,
                TrafficPolicy.CLUSTER,
                ExternalAccess.nodePort(
                        nodePort,
                        Stream.of(addresses).map(IpAddress::parse).toList(),
                        TrafficPolicy.LOCAL));
    }

    private static String ask(String address, int port) throws IOException {
        try (Peer client = Peer.connect(Services.address(address, port))) {
            return client.receiveText(1);
        }
    }

    private static void assertRefused(String address, int port) {
        assertThatThrownBy(() -> Peer.connect(Services.address(address, port)).close())
                .isInstanceOf(ConnectException.class);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
