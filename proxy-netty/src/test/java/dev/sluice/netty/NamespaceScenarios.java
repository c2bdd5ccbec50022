package dev.sluice.netty;

import static dev.sluice.peer.Received.intact;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.balance.BackendSelector;
import dev.sluice.balance.BackendSelectorFactory;
import dev.sluice.config.ProxyConfig;
import dev.sluice.model.Endpoint;
import dev.sluice.model.EndpointSet;
import dev.sluice.model.IpAddress;
import dev.sluice.model.IpFamily;
import dev.sluice.model.ServicePort;
import dev.sluice.model.ServicePortName;
import dev.sluice.peer.Content;
import dev.sluice.peer.Ending;
import dev.sluice.peer.Peer;
import dev.sluice.peer.ScriptedBackend;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Scenarios that change the network of their process, and so run in a process in a network
 * namespace. The name of one is the argument; it throws what it finds wrong.
 *
 * <p>Threads: one.
 */
final class NamespaceScenarios {
    private static final Content UP = Content.of(1);
    private static final Content DOWN = Content.of(2);
    private static final Duration UNACKED = Duration.ofSeconds(2);

    private NamespaceScenarios() {}

    /** Runs the scenario of that name. */
    public static void main(String[] arguments) throws Exception {
        switch (arguments[0]) {
            case "deadServer" -> deadServer();
            case "deadClient" -> deadClient();
            case "noLocalPort" -> noLocalPort();
            case "noLocalPortForSessions" -> noLocalPortForSessions();
            default -> throw new IllegalArgumentException(arguments[0]);
        }
    }

    private static ProxyConfig config() {
        return Services.config(
                new EpollTransport(),
                Services.connections(OptionalInt.empty(), Duration.ofHours(1), UNACKED));
    }

    private static void run(String command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command.split(" ")).inheritIO().start();
        if (process.waitFor() != 0) {
            throw new IOException(command + " failed");
        }
    }

    private static void deadServer() throws Exception {
        try (Services services = new Services(config());
                ScriptedBackend backend = ScriptedBackend.start()) {
            InetSocketAddress web = services.open("web", backend.address());
            try (Peer client = Peer.connect(web);
                    Peer server = backend.accept()) {
                assertAlive(client, server);
                run("iptables -A INPUT -p tcp --dport " + backend.address().getPort() + " -j DROP");
                client.send(UP, 1000);
                assertThat(client.receiveToEnd(DOWN)).isEqualTo(intact(0, Ending.RESET));
                assertThat(services.listeners().activeConnections()).isZero();
            }
            services.close("web");
        }
    }

    private static void deadClient() throws Exception {
        try (Services services = new Services(config());
                ScriptedBackend backend = ScriptedBackend.start()) {
            InetSocketAddress web = services.open("web", backend.address());
            try (Peer client = Peer.connect(web);
                    Peer server = backend.accept()) {
                assertAlive(client, server);
                run("iptables -A INPUT -p tcp --sport " + web.getPort() + " -j DROP");
                server.send(DOWN, 1000);
                assertThat(server.receiveToEnd(UP)).isEqualTo(intact(0, Ending.RESET));
                assertThat(services.listeners().activeConnections()).isZero();
            }
            services.close("web");
        }
    }

    private static void assertAlive(Peer client, Peer server) throws IOException {
        client.send(UP, 10);
        assertThat(server.receive(UP, 0, 10)).isEqualTo(intact(10, Ending.OPEN));
        server.send(DOWN, 10);
        assertThat(client.receive(DOWN, 0, 10)).isEqualTo(intact(10, Ending.OPEN));
    }

    /** Sessions that nobody uses hold all local ports: whoever comes has that of the oldest. */
    private static void noLocalPortForSessions() throws Exception {
        try (UdpPod pod = new UdpPod("a");
                UdpProxy udp = new UdpProxy(new EpollTransport(), 1000)) {
            InetSocketAddress service = udp.serve(pod);
            // Not before: the endpoint's own port must not be one of them.
            Files.writeString(Path.of("/proc/sys/net/ipv4/ip_local_port_range"), "40000 40049");
            for (int i = 0; i < 200; i++) {
                try (UdpClient client =
                        new UdpClient(Services.address("127.0.0.5", 20_000 + i), service)) {
                    assertThat(client.ask("who")).isEqualTo("a");
                }
            }
            assertThat(udp.count(ConnectionCounters.Event.SESSION_EVICTED)).isEqualTo(150);
            assertThat(udp.count(ConnectionCounters.Event.DIAL_LOCAL_FAULT)).isZero();
        }
    }

    /** The kernel has fifty ports to dial from, and a hundred clients come. */
    private static void noLocalPort() throws Exception {
        AtomicInteger told = new AtomicInteger();
        try (ScriptedBackend backend = ScriptedBackend.start();
                Services services = new Services(config(), sole(backend, told))) {
            InetSocketAddress web = services.open("web", backend.address());
            // Not before: the backend's own port must not be one of them.
            Files.writeString(Path.of("/proc/sys/net/ipv4/ip_local_port_range"), "40000 40049");
            long cpu = ProcessHandle.current().info().totalCpuDuration().orElseThrow().toMillis();
            List<SocketChannel> clients = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                SocketChannel client = SocketChannel.open();
                client.setOption(StandardSocketOptions.SO_REUSEADDR, true);
                client.bind(Services.address("127.0.0.5", 20_000 + i));
                client.connect(web);
                clients.add(client);
            }
            await().untilAsserted(
                            () ->
                                    assertThat(services.listeners().activeConnections())
                                            .isEqualTo(50));
            TimeUnit.SECONDS.sleep(2);
            assertThat(services.listeners().activeConnections()).isEqualTo(50);
            assertThat(
                            ProcessHandle.current()
                                            .info()
                                            .totalCpuDuration()
                                            .orElseThrow()
                                            .toMillis()
                                    - cpu)
                    .as("CPU ms")
                    .isLessThan(2000);
            int reset = 0;
            for (SocketChannel client : clients) {
                client.configureBlocking(false);
                try {
                    client.read(ByteBuffer.allocate(1));
                } catch (IOException e) {
                    reset++;
                }
                client.setOption(StandardSocketOptions.SO_LINGER, 0);
                client.close();
            }
            assertThat(reset).isEqualTo(50);
            assertThat(told).as("failures told to the selector").hasValue(0);
            await().until(() -> services.listeners().activeConnections() == 0);
            services.close("web");
        }
    }

    private static BackendSelectorFactory sole(ScriptedBackend backend, AtomicInteger told) {
        BackendSelector selector =
                new BackendSelector() {
                    @Override
                    public Optional<Endpoint> select(IpAddress client, Set<Endpoint> tried) {
                        return tried.isEmpty()
                                ? Optional.of(Services.endpoint(backend.address()))
                                : Optional.empty();
                    }

                    @Override
                    public void dialFailed(IpAddress client, Endpoint endpoint) {
                        told.incrementAndGet();
                    }
                };
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
}
