package dev.sluice.netty.contract;

import static dev.sluice.peer.Received.intact;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.peer.Content;
import dev.sluice.peer.Ending;
import dev.sluice.peer.TcpTable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A reset does not overtake what the sender's kernel has delivered, however late it is read. */
abstract class LateResetContract extends SpliceContract {
    private static final Content DOWN = Content.of(2);
    private static final int REPLY = 64 * KIB;
    private static final String REQUEST = "GET";

    LateResetContract(ProxyUnderTest.Factory proxies) {
        super(proxies);
    }

    @Test
    void aFinishedReplyIsWholeWhenTheServerResetsAtOnce() throws Exception {
        ProxyUnderTest proxy = proxy();
        InetSocketAddress service = serveReplyThenReset(proxy);
        inParallel(
                400,
                number ->
                        assertThat(ResetContract.request(service, Duration.ZERO))
                                .isEqualTo(intact(REPLY, Ending.RESET)));
    }

    @Test
    void aFinishedReplyIsWholeWhenTheServerResetsAndTheClientReadsLate() throws Exception {
        ProxyUnderTest proxy = proxy();
        InetSocketAddress service = serveReplyThenReset(proxy);
        inParallel(
                80,
                number ->
                        assertThat(ResetContract.request(service, Duration.ofMillis(100)))
                                .isEqualTo(intact(REPLY, Ending.RESET)));
    }

    /* The reset leaves when the next hop's kernel has the whole reply: from there on no byte of it
     * needs the sender. */
    private InetSocketAddress serveReplyThenReset(ProxyUnderTest proxy) throws IOException {
        assumeTrue(
                TcpTable.isReadable(),
                "without /proc/net/tcp nothing says when a reply has arrived: not tested");
        return serve(
                proxy,
                backend(
                                server -> {
                                    server.receiveText(REQUEST.length());
                                    server.send(DOWN, REPLY);
                                    server.awaitAcknowledged();
                                    server.reset();
                                })
                        .address());
    }
}
