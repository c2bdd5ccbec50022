package dev.sluice.netty.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.peer.Backend;
import dev.sluice.peer.Content;
import dev.sluice.peer.Peer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Short connections, however they end, leave nothing: no connection, descriptor or buffer. */
abstract class LeftoversContract extends SpliceContract {
    private static final Duration LIMIT = Duration.ofSeconds(2);

    LeftoversContract(ProxyUnderTest.Factory proxies) {
        super(proxies);
    }

    /** Who ends a connection, and how; a client sends the name's first letter. */
    private enum End {
        CLIENT_CLOSES,
        SERVER_CLOSES,
        XCLIENT_RESETS,
        YSERVER_RESETS;

        String letter() {
            return name().substring(0, 1);
        }
    }

    @Test
    void twoThousandShortConnectionsLeaveNothing() throws Exception {
        ProxyUnderTest proxy = proxy();
        Backend backend = backend(LeftoversContract::serve);
        InetSocketAddress service = serve(proxy, backend.address());
        inParallel(
                2000,
                number -> {
                    End end = End.values()[number % End.values().length];
                    try (Peer client = Peer.connect(service)) {
                        client.send(end.letter());
                        assertThat(client.receiveText(1)).isEqualTo(end.letter());
                        switch (end) {
                            case CLIENT_CLOSES -> client.finish();
                            case XCLIENT_RESETS -> client.reset();
                            case SERVER_CLOSES, YSERVER_RESETS ->
                                    client.receiveToEnd(Content.of(0));
                        }
                    }
                });
        awaitNoConnections(proxy, LIMIT);
        await().atMost(LIMIT).until(() -> backend.openConnections() == 0);
        assertThat(backend.accepted()).isEqualTo(2000);
    }

    private static void serve(Peer server) throws IOException {
        String letter = server.receiveText(1);
        server.send(letter);
        switch (letter) {
            case "S" -> server.close();
            case "Y" -> server.reset();
            default -> server.receiveToEnd(Content.of(0));
        }
    }
}
