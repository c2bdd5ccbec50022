package dev.sluice.netty;

import static dev.sluice.peer.Received.intact;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.check.DescriptorCheck;
import dev.sluice.check.Descriptors;
import dev.sluice.config.ProxyConfig;
import dev.sluice.peer.Content;
import dev.sluice.peer.Ending;
import dev.sluice.peer.Peer;
import dev.sluice.peer.ScriptedBackend;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.OptionalInt;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * After a FIN and a RST the kernel has no socket any more, and a proxy that reads nothing more from
 * a side that has finished never hears of it (CVE-2026-42577). The limit of half-closed connections
 * is far away here: events alone must end the pair.
 */
@Timeout(60)
@ExtendWith(DescriptorCheck.class)
final class FinThenResetTest {
    private static final Content NOTHING = Content.of(0);
    private static final int FLOWS = 2000;
    private static final Duration SOON = Duration.ofSeconds(5);

    private enum Side {
        CLIENT,
        SERVER
    }

    @BeforeEach
    void needsEpoll() {
        assumeTrue(
                EpollTransport.isAvailable(),
                "no native epoll: java.nio tells nothing of a reset after a FIN, not tested");
    }

    private static ProxyConfig config() {
        Duration farAway = Duration.ofHours(1);
        return Services.config(
                new EpollTransport(), Services.connections(OptionalInt.empty(), farAway, farAway));
    }

    @ParameterizedTest
    @EnumSource
    void theIdleOtherSideIsResetAtOnce(Side side) throws Exception {
        try (Services services = new Services(config());
                ScriptedBackend backend = ScriptedBackend.start()) {
            InetSocketAddress web = services.open("web", backend.address());
            int idle = Descriptors.open();
            for (int i = 0; i < FLOWS; i++) {
                try (Peer client = Peer.connect(web);
                        Peer server = backend.accept()) {
                    Peer first = side == Side.CLIENT ? client : server;
                    Peer other = side == Side.CLIENT ? server : client;
                    first.finish();
                    assertThat(other.receiveToEnd(NOTHING)).isEqualTo(intact(0, Ending.EOF));
                    first.reset();
                    if (i % 100 == 0) {
                        await().atMost(SOON)
                                .until(() -> services.listeners().activeConnections() == 0);
                    }
                }
            }
            await().atMost(SOON).until(() -> services.listeners().activeConnections() == 0);
            assertThat(Descriptors.open()).isLessThanOrEqualTo(idle);
            services.close("web");
        }
    }
}
