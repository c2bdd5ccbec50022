package dev.sluice.netty;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.check.DescriptorCheck;
import dev.sluice.model.Endpoint;
import dev.sluice.model.IpAddress;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** What a socket makes of several things that its kernel has to tell at once. */
@Timeout(30)
@ExtendWith(DescriptorCheck.class)
final class StreamSocketTest {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private ServerSocket listener;

    @BeforeEach
    void listen() throws IOException {
        listener = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        listener.setSoTimeout((int) PATIENCE.toMillis());
    }

    @AfterEach
    void closeListener() throws IOException {
        listener.close();
    }

    /** A socket that collects what it reads, as its relay would: at events only. */
    private static final class Reader {
        private final OneLoop loop;
        private final StreamSocket socket;
        private final CompletableFuture<Boolean> answered = new CompletableFuture<>();
        private boolean connected;
        private final StringBuilder text = new StringBuilder();
        private final CompletableFuture<String> end = new CompletableFuture<>();

        Reader(OneLoop loop, StreamSocket socket) {
            this.loop = loop;
            this.socket = socket;
            socket.onReady(this::read);
        }

        void register() throws Exception {
            loop.on(
                    () -> {
                        socket.register(loop.loop());
                        return true;
                    });
        }

        private void read() {
            try {
                if (!connected) {
                    connected = socket.finishConnect();
                    socket.interest(StreamSocket.READ);
                    answered.complete(connected);
                }
                ByteBuffer buffer = loop.loop().scratch();
                while (connected && socket.readable()) {
                    int read = socket.read(buffer.clear());
                    if (read < 0) {
                        end.complete(socket.endIsFin() ? "FIN" : "dead");
                        return;
                    }
                    text.append(US_ASCII.decode(buffer.flip()));
                }
            } catch (IOException e) {
                end.complete("dead");
            }
        }

        String end() throws Exception {
            return end.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }

        String text() throws Exception {
            return loop.on(text::toString);
        }

        void close() throws Exception {
            loop.run(socket::close);
        }
    }

    private StreamSocket connect(OneLoop loop) throws IOException {
        IpAddress address = IpAddress.of(listener.getInetAddress());
        return loop.loop().transport().connect(new Endpoint(address, listener.getLocalPort()));
    }

    private static void reset(Socket peer) throws IOException {
        peer.setSoLinger(true, 0);
        peer.close();
    }

    @OnEachTransport
    void aFinIsAFinAlsoWithAResetBehindIt(NettyTransport transport) throws Exception {
        try (OneLoop loop = new OneLoop(transport)) {
            Reader reader = new Reader(loop, connect(loop));
            reader.register();
            assertThat(reader.answered).succeedsWithin(PATIENCE).isEqualTo(true);
            try (Socket peer = listener.accept()) {
                loop.hold(
                        () -> {
                            peer.getOutputStream().write("whole".getBytes(US_ASCII));
                            peer.shutdownOutput();
                            reset(peer);
                        });
            }
            assertThat(reader.end()).isEqualTo("FIN");
            assertThat(reader.text()).isEqualTo("whole");
            reader.close();
        }
    }

    @OnEachTransport
    void aResetIsNoFin(NettyTransport transport) throws Exception {
        try (OneLoop loop = new OneLoop(transport)) {
            Reader reader = new Reader(loop, connect(loop));
            reader.register();
            assertThat(reader.answered).succeedsWithin(PATIENCE).isEqualTo(true);
            try (Socket peer = listener.accept()) {
                loop.hold(
                        () -> {
                            peer.getOutputStream().write("half".getBytes(US_ASCII));
                            reset(peer);
                        });
            }
            assertThat(reader.end()).isEqualTo("dead");
            assertThat(reader.text()).isEqualTo("half");
            reader.close();
        }
    }

    @OnEachTransport
    void anAnswerWithFinAndResetBehindItIsAnAnswer(NettyTransport transport) throws Exception {
        try (OneLoop loop = new OneLoop(transport)) {
            Reader reader = new Reader(loop, connect(loop));
            try (Socket peer = listener.accept()) {
                peer.getOutputStream().write("whole".getBytes(US_ASCII));
                peer.shutdownOutput();
                reset(peer);
            }
            reader.register();
            // java.nio closes a channel whose connect comes to an error: no endpoint is tried
            // again, but what it said is lost.
            boolean canRead = transport.name().equals("epoll");
            assertThat(reader.end()).isEqualTo(canRead ? "FIN" : "dead");
            assertThat(reader.text()).isEqualTo(canRead ? "whole" : "");
            assertThat(loop.on(reader.socket::failed)).isTrue();
            reader.close();
        }
    }

    @OnEachTransport
    void anAnswerWithAResetBehindItIsNoFin(NettyTransport transport) throws Exception {
        try (OneLoop loop = new OneLoop(transport)) {
            Reader reader = new Reader(loop, connect(loop));
            try (Socket peer = listener.accept()) {
                reset(peer);
            }
            reader.register();
            assertThat(reader.end()).isEqualTo("dead");
            assertThat(loop.on(reader.socket::failed)).isTrue();
            reader.close();
        }
    }

    /** A read stops short at urgent data, which looks like an empty queue. */
    @OnEachTransport
    void urgentDataHoldsNothingUpAndIsPartOfTheStream(NettyTransport transport) throws Exception {
        try (OneLoop loop = new OneLoop(transport)) {
            Reader reader = new Reader(loop, connect(loop));
            reader.register();
            assertThat(reader.answered).succeedsWithin(PATIENCE).isEqualTo(true);
            try (Socket peer = listener.accept()) {
                loop.hold(
                        () -> {
                            peer.getOutputStream().write("abc".getBytes(US_ASCII));
                            peer.sendUrgentData('!');
                            peer.getOutputStream().write("def".getBytes(US_ASCII));
                        });
                await().untilAsserted(() -> assertThat(reader.text()).isEqualTo("abc!def"));
            }
            reader.close();
        }
    }
}
