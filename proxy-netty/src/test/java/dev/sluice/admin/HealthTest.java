package dev.sluice.admin;

import static dev.sluice.admin.WatchedProxy.port;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.ConfigFactory;
import dev.sluice.admin.HealthReport.Check;
import dev.sluice.app.ServiceProxy;
import dev.sluice.config.ProxyConfig;
import dev.sluice.control.ProgrammaticServiceSource;
import dev.sluice.control.ReconcileStatus;
import dev.sluice.control.WatchStatus;
import dev.sluice.model.ServiceName;
import dev.sluice.model.ServicePortName;
import dev.sluice.model.ServiceSnapshot;
import dev.sluice.peer.Backend;
import dev.sluice.peer.Behaviour;
import dev.sluice.peer.Peer;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When a proxy is alive, and when clients should come to it. */
@Timeout(60)
class HealthTest {
    private static final ReconcileStatus OK = status(true, true, Optional.empty(), Map.of());

    private static ReconcileStatus status(
            boolean complete,
            boolean rulesInForce,
            Optional<String> failure,
            Map<ServicePortName, String> portFailures) {
        return new ReconcileStatus(
                complete,
                List.of(),
                new TreeMap<>(portFailures),
                new TreeMap<>(),
                failure,
                rulesInForce,
                Map.of());
    }

    private static Reply readyz(ReconcileStatus status, String query, WatchStatus... watches)
            throws Exception {
        ReadyzPage page =
                new ReadyzPage(() -> status, () -> List.of(watches), Optional::empty, () -> false);
        return page.reply(PageRequest.of("/readyz" + query, Optional.empty()))
                .toCompletableFuture()
                .get();
    }

    private static String body(Reply reply) {
        return new String(reply.body(), UTF_8);
    }

    @Test
    void aHealthyProxySaysOkAndVerboseEachCheck() throws Exception {
        try (WatchedProxy proxy = WatchedProxy.start()) {
            assertThat(proxy.get("/livez").body()).isEqualTo("ok\n");
            assertThat(proxy.get("/livez?verbose").body())
                    .startsWith("[+]event-loop-0 ok\n")
                    .endsWith("[+]control-thread ok\nlivez check passed\n");
            assertThat(proxy.get("/readyz").body()).isEqualTo("ok\n");
            assertThat(proxy.get("/readyz?verbose").body())
                    .isEqualTo(
                            """
                            [+]running ok
                            [+]services ok
                            [+]rules ok
                            [+]service-ports ok
                            [+]health-checks ok
                            readyz check passed
                            """);
        }
    }

    @Test
    void itIsAliveBeforeTheServicesAreCompleteAndReadyOnlyThen() throws Exception {
        InetSocketAddress address = freeAddress();
        ProgrammaticServiceSource source = new ProgrammaticServiceSource();
        ProxyConfig config = ProxyConfig.embedded().withAdmin(WatchedProxy.admin(address, 1));
        CompletableFuture<ServiceProxy> started = new CompletableFuture<>();
        Thread starter =
                new Thread(
                        () -> {
                            try {
                                started.complete(
                                        ServiceProxy.builder()
                                                .config(config)
                                                .source(source)
                                                .start());
                            } catch (IOException e) {
                                started.completeExceptionally(e);
                            }
                        });
        starter.start();
        await().ignoreExceptions()
                .untilAsserted(
                        () -> assertThat(RawHttp.get(address, "/livez").status()).isEqualTo(200));
        RawHttp.Reply unready = RawHttp.get(address, "/readyz");
        assertThat(unready.status()).isEqualTo(503);
        assertThat(unready.body())
                .contains("[-]services failed: not yet complete for the first time\n")
                .endsWith("readyz check failed\n");

        source.set(ServiceSnapshot.EMPTY);
        try (ServiceProxy proxy = started.get()) {
            assertThat(proxy.adminAddress()).contains(address);
            assertThat(RawHttp.get(address, "/readyz").body()).isEqualTo("ok\n");
        }
        starter.join();
    }

    private static InetSocketAddress freeAddress() throws IOException {
        try (ServerSocket probe = new ServerSocket()) {
            probe.bind(WatchedProxy.loopback(0));
            return WatchedProxy.loopback(probe.getLocalPort());
        }
    }

    @Test
    void aProxyThatDrainsIsNotReadyAndCanBeWatchedToTheEnd() throws Exception {
        try (Backend backend = Backend.start(Behaviour.banner("hello"));
                WatchedProxy proxy = WatchedProxy.start(port("web", backend.address()));
                Peer client = Peer.connect(proxy.service("web"))) {
            assertThat(client.receiveText(5)).isEqualTo("hello");
            InetSocketAddress address = proxy.admin();
            CompletableFuture<Void> drained = drain(proxy.proxy());
            await().untilAsserted(
                            () ->
                                    assertThat(RawHttp.get(address, "/readyz").body())
                                            .contains("[-]running failed: the proxy drains\n"));
            assertThat(RawHttp.get(address, "/readyz").status()).isEqualTo(503);
            assertThat(RawHttp.get(address, "/livez").status()).isEqualTo(200);
            assertThat(proxy.json("/api/v1/connections").get("total").asInt()).isEqualTo(1);
            client.finish();
            drained.get();
        }
    }

    @Test
    void rulesThatCouldNotBeWrittenMakeItUnreadyAndAFamilyThatIsMissingDoesNot() throws Exception {
        Reply failed = readyz(status(true, false, Optional.of("no lock"), Map.of()), "");
        assertThat(failed.status().code()).isEqualTo(503);
        assertThat(body(failed)).contains("[-]rules failed: no lock\n");

        Reply served = readyz(status(true, true, Optional.of("no ip6tables"), Map.of()), "");
        assertThat(served.status().code()).isEqualTo(200);
        assertThat(body(served)).isEqualTo("[+]rules ok: no ip6tables\nreadyz check passed\n");
    }

    @Test
    void whileTheApiServerIsAwayItStaysReadyAndTellsHowOldItsStateIs() throws Exception {
        WatchStatus followed =
                new WatchStatus(
                        "services", Optional.of(Duration.ofSeconds(3)), 1, 0, Optional.empty());
        WatchStatus away =
                new WatchStatus(
                        "endpointslices",
                        Optional.of(Duration.ofSeconds(35)),
                        1,
                        4,
                        Optional.of("connection\nrefused"));

        assertThat(body(readyz(OK, "", followed))).isEqualTo("ok\n");
        Reply reply = readyz(OK, "", followed, away);
        assertThat(reply.status().code()).isEqualTo(200);
        assertThat(body(reply))
                .isEqualTo(
                        """
                        [+]watch-endpointslices ok: 35 s old: connection refused
                        readyz check passed
                        """);
    }

    @Test
    void aServicePortThatFailsIsNamedAndStopsNothing() throws Exception {
        Reply reply =
                readyz(
                        status(
                                true,
                                true,
                                Optional.empty(),
                                Collections.singletonMap(WatchedProxy.name("web"), "no port")),
                        "");

        assertThat(reply.status().code()).isEqualTo(200);
        assertThat(body(reply))
                .contains("1 not as they should be, among them default/web:http/tcp");
    }

    @Test
    void whatCannotBeToldToLoadBalancersIsShownAndCostsNoReadiness() throws Exception {
        SortedMap<ServiceName, String> unchecked = new TreeMap<>();
        unchecked.put(new ServiceName("default", "web"), "port 30000 is taken");
        ReconcileStatus status =
                new ReconcileStatus(
                        true,
                        List.of(),
                        new TreeMap<>(),
                        unchecked,
                        Optional.empty(),
                        true,
                        Map.of());
        ReadyzPage page =
                new ReadyzPage(
                        () -> status,
                        List::of,
                        () -> Optional.of("sluice.health.address is taken"),
                        () -> false);

        Reply reply =
                page.reply(PageRequest.of("/readyz", Optional.empty())).toCompletableFuture().get();

        assertThat(reply.status().code()).isEqualTo(200);
        assertThat(body(reply))
                .isEqualTo(
                        """
                        [+]health-checks ok: 1 not as they should be, among them default/web
                        [+]health-server ok: sluice.health.address is taken
                        readyz check passed
                        """);
    }

    @Test
    void loadBalancersAreToldThatItDrainsWhileClientsAreStillServed() throws Exception {
        ProxyConfig config =
                ProxyConfig.from(
                        ConfigFactory.parseString(
                                """
                                sluice {
                                  redirect.mode = none, dial.allow-loopback = true
                                  admin.address = "127.0.0.1:0", health.address = "127.0.0.1:0"
                                  node-ports.addresses = [], shutdown.keep-rules = true
                                }
                                """));
        InetSocketAddress address;
        try (Backend backend = Backend.start(Behaviour.banner("hello"));
                WatchedProxy proxy =
                        WatchedProxy.startWith(config, port("web", backend.address()));
                Peer client = Peer.connect(proxy.service("web"))) {
            assertThat(client.receiveText(5)).isEqualTo("hello");
            await().until(() -> proxy.proxy().healthAddress().isPresent());
            address = proxy.proxy().healthAddress().orElseThrow();
            assertThat(RawHttp.get(address, "/healthz").status()).isEqualTo(200);
            CompletableFuture<Void> drained = drain(proxy.proxy());
            await().untilAsserted(
                            () ->
                                    assertThat(RawHttp.get(address, "/healthz").status())
                                            .isEqualTo(503));
            assertThat(RawHttp.get(address, "/livez").status()).isEqualTo(200);
            try (Peer late = Peer.connect(proxy.service("web"))) {
                assertThat(late.receiveText(5)).isEqualTo("hello");
            }
            assertThat(proxy.metrics())
                    .containsEntry("kubeproxy_proxy_healthz_total{code=\"200\"}", 1.0)
                    .hasEntrySatisfying(
                            "kubeproxy_proxy_healthz_total{code=\"503\"}",
                            count -> assertThat(count).isPositive())
                    .containsEntry("kubeproxy_proxy_livez_total{code=\"200\"}", 1.0);
            client.finish();
            drained.get();
            assertThat(proxy.proxy().healthAddress()).isEmpty();
        }
        assertThatThrownBy(() -> RawHttp.get(address, "/healthz"))
                .isInstanceOf(ConnectException.class);
    }

    private static CompletableFuture<Void> drain(ServiceProxy proxy) {
        return CompletableFuture.runAsync(
                () -> {
                    try {
                        proxy.drain(Duration.ofSeconds(30));
                    } catch (IOException e) {
                        throw new IllegalStateException(e);
                    }
                });
    }

    @Test
    void aHealthAddressThatIsTakenStopsNothingAndIsShown() throws Exception {
        try (ServerSocket taken = new ServerSocket()) {
            taken.bind(WatchedProxy.loopback(0));
            try (WatchedProxy proxy =
                    WatchedProxy.startWithHealth(WatchedProxy.loopback(taken.getLocalPort()))) {
                await().untilAsserted(
                                () ->
                                        assertThat(proxy.get("/readyz").body())
                                                .contains(
                                                        "[+]health-server ok:"
                                                                + " sluice.health.address ="));
                assertThat(proxy.get("/readyz").status()).isEqualTo(200);
                assertThat(proxy.proxy().healthAddress()).isEmpty();
            }
        }
    }

    @Test
    void anEventLoopThatHangsIsNamedAndAliveAgainOnceItGoesOn() throws Exception {
        ExecutorService adminLoop = Executors.newSingleThreadExecutor();
        ExecutorService hanging = Executors.newSingleThreadExecutor();
        CountDownLatch goOn = new CountDownLatch(1);
        try {
            hanging.execute(
                    () -> {
                        try {
                            goOn.await();
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                    });
            Heartbeat fine = heartbeat("event-loop-0", adminLoop);
            Heartbeat hangs = heartbeat("event-loop-1", hanging);
            Heartbeat control = heartbeat("control-thread", adminLoop);
            LivezPage page = new LivezPage(List.of(fine, hangs), control, adminLoop);
            PageRequest request = PageRequest.of("/livez", Optional.empty());

            Reply reply = page.reply(request).toCompletableFuture().get();
            assertThat(reply.status().code()).isEqualTo(503);
            assertThat(body(reply))
                    .contains("[+]event-loop-0 ok\n")
                    .containsPattern("\\[-]event-loop-1 failed: no turn for \\d+ ms\n")
                    .contains("[+]control-thread ok\n");

            goOn.countDown();
            await().untilAsserted(
                            () ->
                                    assertThat(
                                                    body(
                                                            page.reply(request)
                                                                    .toCompletableFuture()
                                                                    .get()))
                                            .isEqualTo("ok\n"));
        } finally {
            goOn.countDown();
            hanging.shutdownNow();
            adminLoop.shutdownNow();
        }
    }

    private static Heartbeat heartbeat(String name, ExecutorService thread) {
        return new Heartbeat(
                name,
                LivezPage.LOOP_LIMIT,
                () -> CompletableFuture.runAsync(() -> {}, thread),
                System::nanoTime);
    }

    @Test
    void aThreadMayBeBusyUpToItsLimit() {
        AtomicLong now = new AtomicLong();
        AtomicLong tasks = new AtomicLong();
        Heartbeat heartbeat =
                new Heartbeat(
                        "control-thread",
                        Duration.ofSeconds(100),
                        () -> {
                            tasks.incrementAndGet();
                            return new CompletableFuture<Boolean>();
                        },
                        now::get);

        assertThat(heartbeat.verdict()).isEqualTo(Check.ok("control-thread"));
        now.addAndGet(Duration.ofSeconds(99).toNanos());
        assertThat(heartbeat.verdict()).isEqualTo(Check.ok("control-thread", "busy for 99 s"));
        assertThat(tasks).hasValue(1);
        now.addAndGet(Duration.ofSeconds(1).toNanos());
        assertThat(heartbeat.verdict())
                .isEqualTo(Check.failed("control-thread", "no turn for 100000 ms"));
    }

    @Test
    void aThreadThatHasDiedIsNotAlive() {
        Heartbeat heartbeat =
                new Heartbeat(
                        "event-loop-0",
                        LivezPage.LOOP_LIMIT,
                        () -> CompletableFuture.failedFuture(new IllegalStateException("ended")),
                        System::nanoTime);

        assertThat(heartbeat.verdict()).isEqualTo(Check.failed("event-loop-0", "it has ended"));
    }
}
