package dev.sluice.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.check.DescriptorCheck;
import dev.sluice.control.HealthChecks;
import dev.sluice.control.SyncTimes;
import dev.sluice.model.HealthCheck;
import dev.sluice.model.IpAddress;
import dev.sluice.model.LocalSources;
import dev.sluice.model.ServiceName;
import dev.sluice.model.ServiceSnapshot;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** What load balancers are told about a Service, byte by byte, and at which addresses. */
@Timeout(60)
@ExtendWith(DescriptorCheck.class)
class HealthCheckServersTest {
    private static final ServiceName WEB = new ServiceName("default", "web");
    private static final ServiceName SHOP = new ServiceName("default", "shop");

    private final SyncTimes syncs = new SyncTimes(InstantSource.system());
    private final HealthServers servers =
            new HealthServers(
                    new ProxyHealth(syncs, Optional::empty, InstantSource.system()),
                    HealthServers.BIND_RETRY);
    private final HealthChecks checks = servers.healthChecks();

    @AfterEach
    void close() {
        checks.replaceAll(List.of());
        servers.close();
    }

    private static HealthCheck check(ServiceName service, int port, int endpoints) {
        return check(service, port, endpoints, "127.0.0.1");
    }

    private static HealthCheck check(
            ServiceName service, int port, int endpoints, String... addresses) {
        return new HealthCheck(
                service, port, Stream.of(addresses).map(IpAddress::parse).toList(), endpoints);
    }

    private static InetSocketAddress at(String address, int port) {
        return new InetSocketAddress(IpAddress.parse(address).toInetAddress(), port);
    }

    private static InetSocketAddress at(int port) {
        return at("127.0.0.1", port);
    }

    /** Ports that nobody has. */
    private static List<Integer> freePorts(int count) throws IOException {
        List<ServerSocket> sockets = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                sockets.add(new ServerSocket(0));
            }
            return sockets.stream().map(ServerSocket::getLocalPort).toList();
        } finally {
            for (ServerSocket socket : sockets) {
                socket.close();
            }
        }
    }

    private static int freePort() throws IOException {
        return freePorts(1).get(0);
    }

    private static void assertRefused(InetSocketAddress address) {
        assertThatThrownBy(() -> RawHttp.get(address, "/"))
                .as("%s", address)
                .isInstanceOf(ConnectException.class);
    }

    @Test
    void aServiceWithLocalEndpointsIsHealthyAndTellsHowMany() throws Exception {
        int port = freePort();
        assertThat(checks.replaceAll(List.of(check(WEB, port, 2)))).isEmpty();

        RawHttp.Reply reply = RawHttp.get(at(port), "/any/path?at=all", "Host: lb.example");
        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.headers())
                .containsEntry("content-type", "application/json")
                .containsEntry("x-content-type-options", "nosniff")
                .containsEntry("x-load-balancing-endpoint-weight", "2");
        assertThat(reply.body())
                .isEqualTo(
                        """
                        {
                        \t"service": {
                        \t\t"namespace": "default",
                        \t\t"name": "web"
                        \t},
                        \t"localEndpoints": 2,
                        \t"serviceProxyHealthy": true
                        }""");
    }

    @Test
    void theNumberOfEndpointsChangesOnAnOpenConnection() throws Exception {
        int port = freePort();
        checks.replaceAll(List.of(check(WEB, port, 1)));
        try (RawHttp probe = new RawHttp(at(port))) {
            probe.send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(probe.readUntil("true\n}")).startsWith("HTTP/1.1 200 OK\r\n");

            checks.replaceAll(List.of(check(WEB, port, 0)));

            probe.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(probe.readUntil("\r\n\r\n"))
                    .startsWith("HTTP/1.1 503 Service Unavailable\r\n")
                    .contains("X-Load-Balancing-Endpoint-Weight: 0\r\n");
            probe.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}");
            assertThat(probe.readToEnd())
                    .startsWith("HTTP/1.1 503 Service Unavailable\r\n")
                    .contains("\t\"localEndpoints\": 0,\n\t\"serviceProxyHealthy\": true\n}");
        }
    }

    @Test
    void aProxyThatDrainsIsUnhealthyWhateverTheEndpoints() throws Exception {
        int port = freePort();
        checks.replaceAll(List.of(check(WEB, port, 1)));
        servers.drain();

        RawHttp.Reply reply = RawHttp.get(at(port), "/");
        assertThat(reply.status()).isEqualTo(503);
        assertThat(reply.body())
                .contains("\"localEndpoints\": 1,\n\t\"serviceProxyHealthy\": false\n");
    }

    @Test
    void anotherPortClosesTheOldOneAndAServiceThatIsGoneClosesItsOwn() throws Exception {
        List<Integer> ports = freePorts(2);
        checks.replaceAll(List.of(check(WEB, ports.get(0), 1)));

        checks.replaceAll(List.of(check(WEB, ports.get(1), 1)));
        assertRefused(at(ports.get(0)));
        assertThat(RawHttp.get(at(ports.get(1)), "/").status()).isEqualTo(200);

        checks.replaceAll(List.of());
        assertRefused(at(ports.get(1)));
    }

    @Test
    void twoServicesMayChangePlacesInOneCall() throws Exception {
        List<Integer> ports = freePorts(2);
        checks.replaceAll(List.of(check(SHOP, ports.get(0), 1), check(WEB, ports.get(1), 1)));

        assertThat(
                        checks.replaceAll(
                                List.of(check(SHOP, ports.get(1), 1), check(WEB, ports.get(0), 1))))
                .isEmpty();

        assertThat(RawHttp.get(at(ports.get(0)), "/").body()).contains("\"name\": \"web\"");
        assertThat(RawHttp.get(at(ports.get(1)), "/").body()).contains("\"name\": \"shop\"");
    }

    @Test
    void oneAddressThatIsTakenKeepsAllOfThemClosedUntilItIsFree() throws Exception {
        int port = freePort();
        HealthCheck both = check(WEB, port, 1, "127.0.0.1", "127.0.0.2");
        HealthCheck other = check(SHOP, freePort(), 1);
        try (ServerSocket taken = new ServerSocket()) {
            taken.bind(at("127.0.0.2", port));

            assertThat(checks.replaceAll(List.of(other, both)))
                    .containsOnlyKeys(WEB)
                    .hasEntrySatisfying(
                            WEB,
                            why ->
                                    assertThat(why)
                                            .contains(
                                                    "healthCheckNodePort 127.0.0.2:"
                                                            + port
                                                            + " can't be listened on: ")
                                            .contains("Address already in use")
                                            .doesNotContain("127.0.0.1"));
            assertRefused(at(port));
            assertThat(RawHttp.get(at(other.port()), "/").status()).isEqualTo(200);
        }

        assertThat(checks.replaceAll(List.of(other, both))).isEmpty();
        assertThat(RawHttp.get(at(port), "/").status()).isEqualTo(200);
        assertThat(RawHttp.get(at("127.0.0.2", port), "/").status()).isEqualTo(200);
    }

    @Test
    void aThousandServicesAreServedByOneThread() throws Exception {
        List<Integer> ports = freePorts(1000);
        List<HealthCheck> many = new ArrayList<>();
        for (int i = 0; i < ports.size(); i++) {
            many.add(check(new ServiceName("default", "web-" + i), ports.get(i), i));
        }

        assertThat(checks.replaceAll(many)).isEmpty();

        assertThat(RawHttp.get(at(ports.get(0)), "/").status()).isEqualTo(503);
        assertThat(RawHttp.get(at(ports.get(999)), "/").headers())
                .containsEntry("x-load-balancing-endpoint-weight", "999");
        assertThat(Thread.getAllStackTraces().keySet())
                .filteredOn(thread -> thread.getName().equals("sluice-health"))
                .hasSize(1);
    }

    @Test
    void theReconcilerOpensThemReportsWhatFailsAndTriesAgain() throws Exception {
        int port = freePort();
        ServiceSnapshot snapshot =
                new ServiceSnapshot(
                        new TreeMap<>(),
                        List.of(),
                        List.of(check(WEB, port, 1)),
                        LocalSources.NONE);
        try (ControlPath control = new ControlPath(syncs, checks)) {
            try (ServerSocket taken = new ServerSocket()) {
                taken.bind(at(port));
                assertThat(control.apply(snapshot).healthCheckFailures()).containsOnlyKeys(WEB);
            }
            assertThat(control.apply(snapshot).healthCheckFailures()).isEmpty();
            assertThat(RawHttp.get(at(port), "/").status()).isEqualTo(200);
        }
        assertRefused(at(port));
    }
}
