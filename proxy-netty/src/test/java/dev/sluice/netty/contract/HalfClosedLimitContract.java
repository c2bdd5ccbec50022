package dev.sluice.netty.contract;

import static dev.sluice.peer.Received.intact;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.peer.Content;
import dev.sluice.peer.Ending;
import dev.sluice.peer.ScriptedBackend;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A half-closed connection that nobody uses ends. */
abstract class HalfClosedLimitContract extends SpliceContract {
    private static final Content UP = Content.of(1);
    private static final Content DOWN = Content.of(2);
    private static final Duration HALF_CLOSED_LIMIT = Duration.ofMillis(500);

    HalfClosedLimitContract(ProxyUnderTest.Factory proxies) {
        super(proxies);
    }

    @Test
    void anIdleHalfClosedConnectionIsEndedAtItsLimit() throws Exception {
        ProxyUnderTest proxy = proxy(Tuning.DEFAULT.withHalfClosedTimeout(HALF_CLOSED_LIMIT));
        ScriptedBackend backend = scriptedBackend();
        InetSocketAddress service = serve(proxy, backend.address());
        List<Flow> flows = open(200, service, backend);
        for (Flow flow : flows) {
            flow.server().finish();
            assertThat(flow.client().receiveToEnd(DOWN)).isEqualTo(intact(0, Ending.EOF));
        }
        awaitNoConnections(proxy, HALF_CLOSED_LIMIT.plus(SOON));
        for (Flow flow : flows) {
            assertThat(flow.server().receiveToEnd(UP).ending()).isNotEqualTo(Ending.OPEN);
        }
    }
}
