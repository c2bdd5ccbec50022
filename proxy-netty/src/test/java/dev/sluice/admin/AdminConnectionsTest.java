package dev.sluice.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who has a place when all are taken. */
@Timeout(60)
class AdminConnectionsTest {
    private static final String FIRST_PART = "GET /proxyMode HTTP/1.1\r\n";
    private static final String SECOND_PART = "Host: localhost\r\n\r\n";

    private final List<RawHttp> open = new ArrayList<>();
    private WatchedProxy proxy;

    /** One for each test: its places are those of nobody else. */
    @BeforeEach
    void start() throws IOException {
        proxy = WatchedProxy.start();
    }

    @AfterEach
    void close() throws IOException {
        for (RawHttp http : open) {
            http.close();
        }
        proxy.close();
    }

    private RawHttp connect() throws IOException {
        RawHttp http = new RawHttp(proxy.admin());
        open.add(http);
        return http;
    }

    private static void ask(RawHttp http) throws IOException {
        http.send(FIRST_PART);
        finishAsking(http);
    }

    private static void finishAsking(RawHttp http) throws IOException {
        http.send(SECOND_PART);
        assertThat(http.readUntil("userspace")).startsWith("HTTP/1.1 200 OK\r\n");
    }

    @Test
    void oneMoreTakesThePlaceOfTheOneThatWasIdleForLongest() throws Exception {
        RawHttp askingAgain = connect();
        ask(askingAgain);
        askingAgain.send(FIRST_PART);
        RawHttp servedAgain = connect();
        ask(servedAgain);
        for (int i = 2; i < AdminServer.MOST_CONNECTIONS; i++) {
            ask(connect());
        }
        ask(servedAgain);

        ask(connect());

        assertThat(open.get(2).readToEnd()).isEmpty();
        finishAsking(askingAgain);
        for (RawHttp kept : open) {
            if (kept != open.get(2)) {
                ask(kept);
            }
        }
    }

    @Test
    void idleConnectionsNeverShutOutAProbe() throws Exception {
        for (int i = 0; i < 3 * AdminServer.MOST_CONNECTIONS; i++) {
            ask(connect());
            assertThat(proxy.get("/livez").status()).isEqualTo(200);
        }
    }

    @Test
    void oneMoreIsClosedWhileAllAskAndHasAPlaceOnceTheyAreAnswered() throws Exception {
        for (int i = 0; i < AdminServer.MOST_CONNECTIONS; i++) {
            connect().send(FIRST_PART);
        }

        try (RawHttp oneMore = new RawHttp(proxy.admin())) {
            assertThat(oneMore.readToEnd()).isEmpty();
        }

        for (RawHttp kept : open) {
            finishAsking(kept);
        }
        assertThat(proxy.get("/livez").status()).isEqualTo(200);
    }
}
