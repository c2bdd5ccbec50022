package dev.sluice.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.check.DescriptorCheck;
import dev.sluice.peer.Peer;
import dev.sluice.peer.ScriptedBackend;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** The layout of the kernel's answer, by what this kernel answers. */
@Timeout(30)
@ExtendWith(DescriptorCheck.class)
final class TcpInfoTest {
    private static final int ESTABLISHED = 1;
    private static final int CLOSE_WAIT = 8;

    @BeforeEach
    void needsEpoll() {
        assumeTrue(EpollTransport.isAvailable(), "no native epoll: TCP_INFO is not read");
    }

    private static TcpInfo info(OneLoop loop, StreamSocket socket) throws Exception {
        return Objects.requireNonNull(loop.on(socket::tcpInfo));
    }

    @Test
    void statesAndQueuesAreTheKernels() throws Exception {
        try (OneLoop loop = new OneLoop(new EpollTransport());
                ScriptedBackend backend = ScriptedBackend.startWithReceiveBuffer(16 * 1024)) {
            StreamSocket socket =
                    loop.loop().transport().connect(Services.endpoint(backend.address()));
            loop.on(
                    () -> {
                        socket.register(loop.loop());
                        return true;
                    });
            try (Peer peer = backend.accept()) {
                await().until(() -> loop.on(socket::writable));
                assertThat(info(loop, socket).state()).isEqualTo(ESTABLISHED);
                assertThat(info(loop, socket).outstanding()).isZero();

                long written = loop.on(() -> fill(socket));
                TcpInfo full = info(loop, socket);
                assertThat(full.unsent()).isBetween(1L, written);
                assertThat(full.outstanding()).isPositive();
                assertThat(full.unansweredProbes()).isLessThanOrEqualTo(1);
                assertThat(full.sinceLastAckMillis()).isLessThan(10_000);

                peer.finish();
                await().until(() -> info(loop, socket).state() == CLOSE_WAIT);
                peer.reset();
                await().until(() -> info(loop, socket).state() == TcpInfo.CLOSE);
            }
            loop.run(socket::close);
        }
    }

    private static long fill(StreamSocket socket) throws Exception {
        ByteBuffer bytes = ByteBuffer.allocateDirect(64 * 1024);
        long written = 0;
        while (socket.writable()) {
            written += socket.write(bytes.clear());
        }
        return written;
    }
}
