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

/** A connection that is dead in the kernel ends, also where no read or write would tell. */
abstract class SilentResetContract extends SpliceContract {
    private static final Content UP = Content.of(1);
    private static final Duration HALF_CLOSED_LIMIT = Duration.ofMillis(500);

    SilentResetContract(ProxyUnderTest.Factory proxies) {
        super(proxies);
    }

    /** The kernel keeps no socket after FIN and RST, and tells a Netty channel nothing of it. */
    @Test
    void aClientThatFinishesAndThenResetsIsForgotten() throws Exception {
        ProxyUnderTest proxy = proxy(Tuning.DEFAULT.withHalfClosedTimeout(HALF_CLOSED_LIMIT));
        ScriptedBackend backend = scriptedBackend();
        InetSocketAddress service = serve(proxy, backend.address());
        List<Flow> flows = open(200, service, backend);
        for (Flow flow : flows) {
            flow.client().finish();
            assertThat(flow.server().receiveToEnd(UP)).isEqualTo(intact(0, Ending.EOF));
            flow.client().reset();
        }
        awaitNoConnections(proxy, HALF_CLOSED_LIMIT.plus(SOON));
    }
}
