package dev.sluice.admin;

import static dev.sluice.admin.WatchedProxy.port;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.check.Descriptors;
import dev.sluice.model.Endpoint;
import dev.sluice.model.IpAddress;
import dev.sluice.model.Protocol;
import dev.sluice.model.ServicePort;
import dev.sluice.model.ServicePortName;
import dev.sluice.model.SessionAffinity;
import dev.sluice.peer.Backend;
import dev.sluice.peer.Behaviour;
import dev.sluice.peer.BlackHole;
import dev.sluice.peer.ClosedPort;
import dev.sluice.peer.Content;
import dev.sluice.peer.Ending;
import dev.sluice.peer.Peer;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/** What is shown is what has happened: real connections through a real proxy. */
@Timeout(60)
class TrafficViewsTest {
    private static final String WEB =
            "{namespace=\"default\",port=\"http\",protocol=\"TCP\",service=\"web\"";
    private static final String OTHER =
            "{namespace=\"other\",port=\"other\",protocol=\"other\",service=\"other\"";
    private static final Content CONTENT = Content.of(7);

    @Test
    void udpSessionsAreShownAmongConnections() throws Exception {
        ServicePortName name = ServicePortName.of("default", "dns", "dns", Protocol.UDP);
        try (DatagramSocket endpoint = new DatagramSocket(WatchedProxy.loopback(0));
                DatagramSocket client = new DatagramSocket(WatchedProxy.loopback(0));
                WatchedProxy proxy =
                        WatchedProxy.start(
                                new ServicePort(
                                        name,
                                        List.of(IpAddress.parse("192.0.2.53")),
                                        53,
                                        SessionAffinity.NONE,
                                        List.of(
                                                new Endpoint(
                                                        IpAddress.parse("127.0.0.1"),
                                                        endpoint.getLocalPort()))))) {
            DatagramPacket question =
                    new DatagramPacket(
                            new byte[30], 30, proxy.proxy().localAddress(name).orElseThrow());
            DatagramPacket received = new DatagramPacket(new byte[100], 100);
            endpoint.setSoTimeout(10_000);
            client.setSoTimeout(10_000);
            client.send(question);
            endpoint.receive(received);
            assertThat(onlySession(proxy).get("phase").asString()).isEqualTo("dialling");

            endpoint.send(new DatagramPacket(new byte[50], 50, received.getSocketAddress()));
            client.receive(received);

            JsonNode only = onlySession(proxy);
            assertThat(only.get("service").asString()).isEqualTo("dns");
            assertThat(only.get("protocol").asString()).isEqualTo("UDP");
            assertThat(only.get("client").asString())
                    .isEqualTo("127.0.0.1:" + client.getLocalPort());
            assertThat(only.get("frontEnd").isNull()).isTrue();
            assertThat(only.get("endpoint").asString())
                    .isEqualTo("127.0.0.1:" + endpoint.getLocalPort());
            assertThat(only.get("phase").asString()).isEqualTo("spliced");
            assertThat(only.get("ageSeconds").asDouble()).isBetween(0.0, 60.0);
            assertThat(only.get("bytesFromClient").asLong()).isEqualTo(30);
            assertThat(only.get("bytesFromEndpoint").asLong()).isEqualTo(50);
            assertThat(proxy.metrics())
                    .containsEntry("sluice_bytes_total{from=\"client\"}", 30.0)
                    .containsEntry("sluice_bytes_total{from=\"endpoint\"}", 50.0);
            assertThat(proxy.json("/api/v1/connections?service=web").get("total").asInt()).isZero();
        }
    }

    private static JsonNode onlySession(WatchedProxy proxy) throws Exception {
        JsonNode view = proxy.json("/api/v1/connections");
        assertThat(view.get("total").asInt()).isEqualTo(1);
        return view.get("connections").get(0);
    }

    @Test
    void bytesOfALiveConnectionAreShownAndStayWhenItIsOver() throws Exception {
        try (Backend backend = Backend.start(Behaviour.banner("hello"));
                WatchedProxy proxy = WatchedProxy.start(port("web", backend.address()))) {
            try (Peer client = Peer.connect(proxy.service("web"))) {
                assertThat(client.receiveText(5)).isEqualTo("hello");
                client.send(CONTENT, 100_000);
                assertThat(client.receive(CONTENT, 0, 100_000).bytes()).isEqualTo(100_000);

                assertThat(proxy.metrics())
                        .containsEntry("sluice_connections_active", 1.0)
                        .containsEntry("sluice_connections_opened_total", 1.0)
                        .containsEntry("sluice_bytes_total{from=\"client\"}", 100_000.0)
                        .containsEntry("sluice_bytes_total{from=\"endpoint\"}", 100_005.0)
                        .containsEntry("sluice_service_connections_active" + WEB + "}", 1.0)
                        .containsEntry("sluice_service_endpoints" + WEB + "}", 1.0)
                        .containsEntry("sluice_dials_total", 1.0)
                        .containsEntry("sluice_dial_duration_seconds_count", 1.0);
                JsonNode view = proxy.json("/api/v1/connections");
                assertThat(view.get("total").asInt()).isEqualTo(1);
                assertThat(view.get("truncated").asBoolean()).isFalse();
                JsonNode only = view.get("connections").get(0);
                assertThat(only.get("service").asString()).isEqualTo("web");
                assertThat(only.get("client").asString()).startsWith("127.0.0.1:");
                assertThat(only.get("frontEnd").isNull()).isTrue();
                assertThat(only.get("endpoint").asString())
                        .isEqualTo("127.0.0.1:" + backend.address().getPort());
                assertThat(only.get("phase").asString()).isEqualTo("spliced");
                assertThat(only.get("ageSeconds").asDouble()).isBetween(0.0, 60.0);
                assertThat(only.get("bytesFromClient").asLong()).isEqualTo(100_000);
                assertThat(only.get("bytesFromEndpoint").asLong()).isEqualTo(100_005);
                client.finish();
                assertThat(client.receiveToEnd(CONTENT).ending()).isEqualTo(Ending.EOF);
            }
            await().untilAsserted(
                            () ->
                                    assertThat(proxy.metrics())
                                            .containsEntry("sluice_connections_active", 0.0));
            assertThat(proxy.metrics())
                    .containsEntry("sluice_connections_opened_total", 1.0)
                    .containsEntry("sluice_bytes_total{from=\"endpoint\"}", 100_005.0)
                    .containsEntry(
                            "sluice_service_bytes_total{from=\"client\"," + WEB.substring(1) + "}",
                            100_000.0);
            assertThat(proxy.json("/api/v1/connections").get("connections")).isEmpty();
        }
    }

    @Test
    void failuresAreCountedByTheirReason() throws Exception {
        try (ClosedPort closed = ClosedPort.open();
                Backend good = Backend.start(Behaviour.id("1"));
                Backend resetting = Backend.start(Behaviour.resetOnAccept());
                WatchedProxy proxy =
                        WatchedProxy.start(
                                port("dead", closed.address()),
                                port("half", closed.address(), good.address()),
                                port("reset", resetting.address()))) {
            assertThat(Peer.fetch(proxy.service("dead"), CONTENT).ending()).isEqualTo(Ending.RESET);
            assertThat(Peer.fetch(proxy.service("reset"), CONTENT).ending())
                    .isEqualTo(Ending.RESET);
            for (int i = 0; i < 2; i++) {
                try (Peer client = Peer.connect(proxy.service("half"))) {
                    assertThat(client.receiveText(1)).isEqualTo("1");
                }
            }

            Map<String, Double> metrics = proxy.metrics();
            assertThat(metrics)
                    .containsEntry("sluice_connections_failed_total{reason=\"unanswered\"}", 1.0)
                    .containsEntry("sluice_connections_failed_total{reason=\"over_limit\"}", 0.0)
                    .containsEntry("sluice_connections_broken_total{reason=\"reset\"}", 1.0)
                    .containsEntry("sluice_dials_failed_total{reason=\"this_node\"}", 0.0);
            double tries = metrics.getOrDefault("sluice_dials_total", 0.0);
            double retries = metrics.getOrDefault("sluice_dial_retries_total", 0.0);
            double failed =
                    metrics.getOrDefault("sluice_dials_failed_total{reason=\"endpoint\"}", 0.0);
            assertThat(tries - retries).as("connections that dialled").isEqualTo(4);
            assertThat(tries - failed).as("dials that were answered").isEqualTo(3);
            assertThat(metrics).containsEntry("sluice_dial_duration_seconds_count", 3.0);
            JsonNode dead = proxy.json("/api/v1/services?service=dead").get("servicePorts").get(0);
            assertThat(dead.get("connections").get("failed").get("unanswered").asInt())
                    .isEqualTo(1);
            assertThat(dead.get("dials").get("failed").get("endpoint").asInt())
                    .isEqualTo(dead.get("dials").get("tries").asInt());
        }
    }

    @Test
    void theServicesViewShowsWhatIsServed() throws Exception {
        try (Backend backend = Backend.start(Behaviour.id("1"));
                WatchedProxy proxy =
                        WatchedProxy.start(
                                port("empty"),
                                port(
                                        "web",
                                        new SessionAffinity.ClientIp(Duration.ofSeconds(60)),
                                        backend.address()))) {
            try (Peer client = Peer.connect(proxy.service("web"))) {
                assertThat(client.receiveText(1)).isEqualTo("1");
            }
            JsonNode ports = proxy.json("/api/v1/services").get("servicePorts");
            assertThat(ports).hasSize(2);
            JsonNode empty = ports.get(0);
            assertThat(empty.get("listener").get("accepting").asBoolean()).isFalse();
            assertThat(empty.get("affinity").get("type").asString()).isEqualTo("None");
            JsonNode web = ports.get(1);
            assertThat(web.get("frontEnds").get(0).get("address").asString())
                    .startsWith("192.0.2.");
            assertThat(web.get("frontEnds").get(0).get("port").asInt()).isEqualTo(80);
            assertThat(web.get("listener").get("port").asInt())
                    .isEqualTo(proxy.service("web").getPort());
            assertThat(web.get("affinity").get("type").asString()).isEqualTo("ClientIP");
            assertThat(web.get("affinity").get("timeoutSeconds").asInt()).isEqualTo(60);
            assertThat(web.get("affinity").get("entries").asInt()).isEqualTo(1);
            assertThat(web.get("endpoints").get(0).get("port").asInt())
                    .isEqualTo(backend.address().getPort());
            assertThat(web.get("endpoints").get(0).get("state").asString()).isEqualTo("usable");
            assertThat(web.get("failure").isNull()).isTrue();
            assertThat(proxy.json("/api/v1/services?namespace=none").get("servicePorts")).isEmpty();
            assertThat(proxy.metrics())
                    .containsEntry("sluice_affinity_entries", 1.0)
                    .containsEntry("sluice_service_affinity_entries" + WEB + "}", 1.0)
                    .containsEntry("sluice_listeners{state=\"accepting\"}", 1.0)
                    .containsEntry("sluice_listeners{state=\"refusing\"}", 1.0);
        }
    }

    @Test
    void servicePortsWithoutAPlaceAreCountedTogetherAndNothingEverFalls() throws Exception {
        try (Backend backend = Backend.start(Behaviour.id("1"));
                WatchedProxy proxy =
                        WatchedProxy.startWithPlaces(1, port("web", backend.address()))) {
            fetch(proxy, "web", 1);
            proxy.set(
                    port("web", backend.address()),
                    port("a", backend.address()),
                    port("b", backend.address()));
            fetch(proxy, "a", 2);
            fetch(proxy, "b", 3);
            String opened = "sluice_service_connections_opened_total";
            assertThat(proxy.metrics())
                    .containsEntry(opened + WEB + "}", 1.0)
                    .containsEntry(opened + OTHER + "}", 5.0)
                    .doesNotContainKey(opened + WEB.replace("web", "a") + "}");

            proxy.set(port("b", backend.address()));
            assertThat(proxy.metrics())
                    .doesNotContainKey(opened + WEB + "}")
                    .containsEntry(opened + OTHER + "}", 5.0)
                    .containsEntry("sluice_connections_opened_total", 6.0);

            // The place of the one that went is free.
            proxy.set(port("b", backend.address()), port("web", backend.address()));
            fetch(proxy, "web", 1);
            assertThat(proxy.metrics())
                    .containsEntry(opened + WEB + "}", 1.0)
                    .containsEntry(opened + OTHER + "}", 5.0)
                    .containsEntry("sluice_connections_opened_total", 7.0);
        }
    }

    private static void fetch(WatchedProxy proxy, String name, int times) throws Exception {
        for (int i = 0; i < times; i++) {
            try (Peer client = Peer.connect(proxy.service(name))) {
                assertThat(client.receiveText(1)).isEqualTo("1");
            }
        }
    }

    @Test
    void ofManyConnectionsTheOldestAreShownAndTheNumberOfAll() throws Exception {
        try (Backend backend = Backend.start(Behaviour.banner("hello"));
                WatchedProxy proxy =
                        WatchedProxy.start(
                                port("web", backend.address()), port("b", backend.address()))) {
            List<Peer> clients = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                Peer client = Peer.connect(proxy.service(i % 2 == 0 ? "web" : "b"));
                assertThat(client.receiveText(5)).isEqualTo("hello");
                clients.add(client);
            }
            JsonNode view = proxy.json("/api/v1/connections?limit=5");
            assertThat(view.get("total").asInt()).isEqualTo(20);
            assertThat(view.get("truncated").asBoolean()).isTrue();
            JsonNode all = proxy.json("/api/v1/connections").get("connections");
            assertThat(all).hasSize(20);
            assertThat(view.get("connections").values())
                    .extracting(c -> c.get("client").asString())
                    .isEqualTo(
                            all.values().stream()
                                    .limit(5)
                                    .map(c -> c.get("client").asString())
                                    .toList());
            assertThat(all.values()).extracting(c -> -c.get("ageSeconds").asDouble()).isSorted();
            assertThat(proxy.json("/api/v1/connections?service=b").get("total").asInt())
                    .isEqualTo(10);
            clients.forEach(Peer::close);
        }
    }

    @Test
    void thePhaseOfAConnectionIsShown() throws Exception {
        try (BlackHole hole = BlackHole.open();
                Backend patient = Backend.start(connection -> connection.receiveToEnd(CONTENT));
                Backend late =
                        Backend.start(
                                connection -> {
                                    connection.receiveToEnd(CONTENT);
                                    connection.send("x");
                                    Thread.sleep(Duration.ofMinutes(1).toMillis());
                                });
                WatchedProxy proxy =
                        WatchedProxy.start(
                                port("hole", hole.address()),
                                port("late", late.address()),
                                port("web", patient.address()))) {
            try (Peer dialling = Peer.connect(proxy.service("hole"));
                    Peer spliced = Peer.connect(proxy.service("web"));
                    Peer half = Peer.connect(proxy.service("late"))) {
                spliced.send("x");
                half.finish();
                assertThat(half.receiveText(1)).isEqualTo("x");
                await().untilAsserted(
                                () ->
                                        assertThat(phases(proxy))
                                                .containsEntry("web", "spliced")
                                                .containsEntry("late", "half-closed"));
                assertThat(dialling.remoteAddress().isLoopbackAddress()).isTrue();
                assertThat(phases(proxy)).containsEntry("hole", "dialling");
            }
        }
    }

    private static Map<String, String> phases(WatchedProxy proxy) throws Exception {
        Map<String, String> phases = new HashMap<>();
        for (JsonNode c : proxy.json("/api/v1/connections").get("connections")) {
            phases.put(c.get("service").asString(), c.get("phase").asString());
        }
        return phases;
    }

    @Test
    void bothTextFormatsOfPrometheusAreServed() throws Exception {
        try (WatchedProxy proxy = WatchedProxy.start()) {
            RawHttp.Reply plain = proxy.get("/metrics");
            assertThat(plain.headers().get("content-type")).startsWith("text/plain; version=0.0.4");
            assertThat(PrometheusText.parse(plain.body()))
                    .hasEntrySatisfying(
                            "kubeproxy_sync_proxy_rules_duration_seconds_count",
                            runs -> assertThat(runs).isPositive())
                    .containsKey("process_open_fds")
                    .containsKey("process_cpu_seconds_total")
                    .containsEntry("sluice_rules_in_force", 1.0)
                    .containsEntry("sluice_quarantined_objects", 0.0);
            RawHttp.Reply open =
                    proxy.get("/metrics", "Accept: application/openmetrics-text; version=1.0.0");
            assertThat(open.headers().get("content-type"))
                    .startsWith("application/openmetrics-text");
            assertThat(open.body()).endsWith("# EOF\n");
        }
    }

    /** Many, so that a socket which another test left to its thread does not decide. */
    @Test
    void proxiesThatComeAndGoLeaveNoDescriptorBehind() throws Exception {
        int rounds = 20;
        WatchedProxy.start().close();
        int before = Descriptors.open();
        for (int i = 0; i < rounds; i++) {
            try (WatchedProxy proxy = WatchedProxy.start()) {
                assertThat(proxy.get("/metrics").status()).isEqualTo(200);
            }
        }
        await().untilAsserted(() -> assertThat(Descriptors.open() - before).isLessThan(rounds / 2));
    }
}
