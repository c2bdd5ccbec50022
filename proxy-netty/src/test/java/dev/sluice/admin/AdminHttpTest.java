package dev.sluice.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.sluice.app.ServiceProxy;
import dev.sluice.config.ProxyConfig;
import dev.sluice.control.ProgrammaticServiceSource;
import dev.sluice.model.ServiceSnapshot;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** What a request must be, and what becomes of those that are not. */
@Timeout(60)
class AdminHttpTest {
    private static final String HOST = "Host: localhost\r\n";

    private static WatchedProxy proxy;

    private final Logger logger = (Logger) LoggerFactory.getLogger("dev.sluice.admin");
    private final ListAppender<ILoggingEvent> logged = new ListAppender<>();

    @BeforeAll
    static void start() throws IOException {
        proxy = WatchedProxy.start();
    }

    @AfterAll
    static void close() {
        proxy.close();
    }

    @BeforeEach
    void listen() {
        logged.start();
        logger.addAppender(logged);
    }

    @AfterEach
    void nothingWasLoggedAboveDebug() {
        logger.detachAppender(logged);
        assertThat(logged.list).noneMatch(e -> e.getLevel().isGreaterOrEqual(Level.INFO));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/",
                "/livez",
                "/livez?verbose",
                "/readyz",
                "/healthz",
                "/metrics",
                "/api/v1/services",
                "/api/v1/connections",
                "/proxyMode"
            })
    void everyPageSaysThatItIsNotToBeKeptOrGuessedAt(String path) throws Exception {
        RawHttp.Reply reply = proxy.get(path);

        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.body()).isNotEmpty();
        assertThat(reply.headers())
                .containsEntry("x-content-type-options", "nosniff")
                .containsEntry("cache-control", "no-store");
        if (!path.equals("/")) {
            assertThat(proxy.get("/").body()).contains(path.replaceAll("\\?.*", "") + " ");
        }
    }

    @Test
    void whatKubeProxySaysIsSaid() throws Exception {
        assertThat(proxy.get("/proxyMode").body()).isEqualTo("userspace");
        assertThat(proxy.get("/healthz").body()).isEqualTo("ok");
    }

    @Test
    void headHasTheHeadersOfGetAndNoBody() throws Exception {
        String reply =
                RawHttp.exchange(
                        proxy.admin(),
                        "HEAD /proxyMode HTTP/1.1\r\n" + HOST + "Connection: close\r\n\r\n");

        assertThat(reply).startsWith("HTTP/1.1 200 OK\r\n").contains("content-length: 9\r\n");
        assertThat(reply).endsWith("\r\n\r\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "POST /livez HTTP/1.1 | 405 | method 'POST': must be GET or HEAD",
                "DELETE /api/v1/services HTTP/1.1 | 405 | allow: GET, HEAD",
                "OPTIONS * HTTP/1.1 | 405 | must be GET or HEAD",
                "GET /nothing HTTP/1.1 | 404 | path '/nothing': there is no such page",
                "GET /debug/pprof/ HTTP/1.1 | 404 | no such page",
                "GET /livez/ HTTP/1.1 | 404 | no such page",
                "GET //livez HTTP/1.1 | 404 | no such page",
                "GET http://evil.example/livez HTTP/1.1 | 400 | must begin with /",
                "GET /%zz HTTP/1.1 | 400 | target '/%zz'",
                "GET /livez?loud HTTP/1.1 | 400 | parameter 'loud': must be one of [verbose]",
                "GET /metrics?verbose HTTP/1.1 | 400 | parameter 'verbose'",
                "GET /api/v1/connections?limit=0 HTTP/1.1 | 400 | from 1 to 10000",
                "GET /api/v1/connections?limit=10001 HTTP/1.1 | 400 | parameter limit '10001'",
                "GET /api/v1/connections?limit=-1 HTTP/1.1 | 400 | parameter limit '-1': must be",
                "GET /api/v1/connections?limit=ten HTTP/1.1 | 400 | parameter limit 'ten': must be",
                "GET /api/v1/connections?limit=99999999999 HTTP/1.1 | 400 | must be a whole number",
                "GET /api/v1/connections?limit=1&limit=2 HTTP/1.1 | 400 | must stand once",
                "GET | 400 | must be HTTP/1.1",
                "no request at all | 400 | must be HTTP/1.1",
                "GET /livez HTTP/9.x | 400 | must be HTTP/1.1",
            })
    void namesTheThingTheValueAndTheRuleOfWhatItRefuses(String line, String code, String rule)
            throws Exception {
        String reply = RawHttp.exchange(proxy.admin(), line + "\r\n" + HOST + "\r\n");

        assertThat(reply).startsWith("HTTP/1.1 " + code + " ").contains(rule);
        assertThat(reply).contains("content-type: text/plain").contains("connection: close");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'' | 400 | header Host: must stand once, and stands 0 times",
                "Host: localhost~Host: localhost~ | 400 | stands 2 times",
                "Host: evil.example~ | 421 | header Host 'evil.example': must be localhost",
                "Host: evil.example:10249~ | 421 | sluice.admin.allowed-hosts",
                "Host: localhost.evil.example~ | 421 | must be localhost",
                "Host: 127.0.0.1.evil.example~ | 421 | must be localhost",
                "Host: 192.0.2.1~ | 421 | the address of this server",
                "Host: [2001:db8::1]:80~ | 421 | a loopback address",
                "Host: a b~ | 421 | must be localhost",
                "Host: ~ | 400 | must be a name or an address",
                "Host: [::1~ | 400 | must be a name or an address",
                "Host: localhost:port~ | 400 | must be a name or an address",
                "Host: localhost:80~Content-Length: 5~~hello | 413 | body: must be empty",
                "Host: localhost~Transfer-Encoding: chunked~ | 413 | body: must be empty",
                "Host: localhost~Content-Length: five~ | 400 | must be HTTP/1.1",
                "Host: localhost~Bad Header~ | 400 | must be HTTP/1.1",
            })
    void refusesHeadersThatBreakARule(String headers, String code, String rule) throws Exception {
        String reply =
                RawHttp.exchange(
                        proxy.admin(),
                        "GET /livez HTTP/1.1\r\n" + headers.replace("~", "\r\n") + "\r\n");

        assertThat(reply).startsWith("HTTP/1.1 " + code + " ").contains(rule);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "localhost",
                "LocalHost:10249",
                "127.0.0.1",
                "127.9.9.9:1",
                "[::1]",
                "[::1]:10249",
                "node-1.example",
                "NODE-1.example:80"
            })
    void knowsItselfByLoopbackAndByTheNamesThatWereAllowed(String host) throws Exception {
        String reply =
                RawHttp.exchange(
                        proxy.admin(),
                        "GET /livez HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n");

        assertThat(reply).startsWith("HTTP/1.1 200 OK\r\n").endsWith("\r\n\r\nok\n");
    }

    @Test
    void http10NeedNotSayHostAndIsCheckedWhereItDoes() throws Exception {
        assertThat(RawHttp.exchange(proxy.admin(), "GET /livez HTTP/1.0\r\n\r\n"))
                .startsWith("HTTP/1.1 200 OK\r\n")
                .endsWith("\r\n\r\nok\n");
        assertThat(
                        RawHttp.exchange(
                                proxy.admin(), "GET /livez HTTP/1.0\r\nHost: evil.example\r\n\r\n"))
                .startsWith("HTTP/1.1 421 ");
        assertThat(
                        RawHttp.exchange(
                                proxy.admin(), "GET /livez HTTP/1.0\r\n" + HOST + HOST + "\r\n"))
                .startsWith("HTTP/1.1 400 ")
                .contains("stands 2 times");
    }

    @Test
    void longTargetsAndHeadersAreRefused() throws Exception {
        assertThat(
                        RawHttp.exchange(
                                proxy.admin(), "GET /" + "a".repeat(4096) + " HTTP/1.1\r\n\r\n"))
                .startsWith("HTTP/1.1 414 ")
                .contains("must not be longer than 4096 bytes");
        String header = "X-Long: " + "a".repeat(8192) + "\r\n";
        assertThat(RawHttp.exchange(proxy.admin(), "GET / HTTP/1.1\r\n" + HOST + header + "\r\n"))
                .startsWith("HTTP/1.1 431 ")
                .contains("must not be longer than 8192 bytes");
    }

    @Test
    void whatAClientSaysIsShortenedAndHarmlessInTheReply() throws Exception {
        String reply =
                RawHttp.exchange(
                        proxy.admin(),
                        "GET /%0d%0aSet-Cookie:x"
                                + "y".repeat(200)
                                + " HTTP/1.1\r\n"
                                + HOST
                                + "\r\n");

        assertThat(reply).startsWith("HTTP/1.1 404 ").contains("path '/??Set-Cookie:xyyy");
        assertThat(reply).doesNotContain("y".repeat(80));
    }

    @Test
    void aRequestThatComesInPiecesAndFillsItsLimitsIsAnswered() throws Exception {
        try (RawHttp http = new RawHttp(proxy.admin())) {
            http.send("GET /livez HTTP/1.1\r\nX-Long: " + "a".repeat(3000));
            http.send("a".repeat(3000) + "\r\n" + HOST);
            http.send("Connection: close\r\n\r\n");
            assertThat(http.readToEnd()).startsWith("HTTP/1.1 200 OK\r\n");
        }
    }

    @Test
    void requestsThatComeTogetherAreAnsweredInTheirOrder() throws Exception {
        String request = "GET /livez HTTP/1.1\r\n" + HOST + "\r\n";
        String last = "GET /proxyMode HTTP/1.1\r\n" + HOST + "Connection: close\r\n\r\n";

        String replies = RawHttp.exchange(proxy.admin(), request.repeat(3) + last);

        assertThat(replies.split("HTTP/1.1 200 OK", -1)).hasSize(5);
        assertThat(replies).endsWith("userspace");
    }

    @Test
    void anAddressThatIsInUseIsNamedWithItsSetting() throws Exception {
        try (ServerSocket other = new ServerSocket()) {
            other.bind(WatchedProxy.loopback(0));
            InetSocketAddress taken = (InetSocketAddress) other.getLocalSocketAddress();
            ProxyConfig config = ProxyConfig.embedded().withAdmin(WatchedProxy.admin(taken, 1));

            assertThatThrownBy(
                            () ->
                                    ServiceProxy.builder()
                                            .config(config)
                                            .source(new ProgrammaticServiceSource())
                                            .start())
                    .isInstanceOf(IOException.class)
                    .hasMessage(
                            "sluice.admin.address = '127.0.0.1:"
                                    + taken.getPort()
                                    + "': can't be listened on: Address already in use");
        }
    }

    @Test
    void theAddressIsFreeOnceTheProxyIsClosed() throws Exception {
        InetSocketAddress address = WatchedProxy.loopback(0);
        for (int i = 0; i < 3; i++) {
            ProxyConfig config = ProxyConfig.embedded().withAdmin(WatchedProxy.admin(address, 1));
            ProgrammaticServiceSource source = new ProgrammaticServiceSource();
            source.set(ServiceSnapshot.EMPTY);
            try (ServiceProxy again =
                    ServiceProxy.builder().config(config).source(source).start()) {
                InetSocketAddress bound = again.adminAddress().orElseThrow();
                assertThat(address.getPort()).isIn(0, bound.getPort());
                address = bound;
                assertThat(RawHttp.exchange(address, "nonsense\r\n\r\n"))
                        .startsWith("HTTP/1.1 400 ");
            }
        }
    }
}
