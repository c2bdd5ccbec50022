package dev.sluice.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.check.DescriptorCheck;
import dev.sluice.peer.Backend;
import dev.sluice.peer.Behaviour;
import dev.sluice.peer.Content;
import dev.sluice.peer.Peer;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A proxy whose process has run out of something goes on, and is as before when it has it again.
 */
@Timeout(60)
@ExtendWith(DescriptorCheck.class)
final class ShortageTest {
    private static final Content DOWN = Content.of(1);

    /** {@link ShortOfResources} in a process of its own. */
    private static final class Proxy implements AutoCloseable {
        private final Process process;
        private final BufferedWriter questions;
        private final BufferedReader answers;
        private final Path log;
        private final InetSocketAddress service;

        Proxy(NettyTransport transport, Backend backend, String limit, String... jvmOptions)
                throws IOException {
            assumeTrue(
                    Files.isExecutable(Path.of("/bin/sh")),
                    "no /bin/sh to set limits with: shortage is not tested");
            log = Files.createTempFile("shortage", ".log");
            List<String> command =
                    new ArrayList<>(
                            List.of(
                                    "/bin/sh",
                                    "-c",
                                    limit + "; exec \"$@\"",
                                    "sh",
                                    System.getProperty("java.home") + "/bin/java"));
            command.addAll(List.of(jvmOptions));
            command.addAll(
                    List.of(
                            "-XX:TieredStopAtLevel=1",
                            "-cp",
                            System.getProperty("java.class.path"),
                            ShortOfResources.class.getName(),
                            transport.name(),
                            String.valueOf(backend.address().getPort())));
            process =
                    new ProcessBuilder(command)
                            .redirectErrorStream(false)
                            .redirectError(log.toFile())
                            .start();
            questions = process.outputWriter(StandardCharsets.US_ASCII);
            answers = process.inputReader(StandardCharsets.US_ASCII);
            service = new InetSocketAddress(InetAddress.getLoopbackAddress(), (int) answer());
        }

        private long answer() throws IOException {
            for (String line = answers.readLine(); line != null; line = answers.readLine()) {
                if (line.matches("-?\\d+")) {
                    return Long.parseLong(line);
                }
                // What is logged comes this way, too.
                Files.writeString(log, line + "\n", StandardOpenOption.APPEND);
            }
            throw new AssertionError("the proxy ended: " + Files.readString(log));
        }

        long ask(String question) throws IOException {
            questions.write(question + "\n");
            questions.flush();
            return answer();
        }

        List<String> log() throws IOException {
            return Files.readAllLines(log);
        }

        @Override
        public void close() throws IOException {
            questions.close();
            try {
                if (!process.waitFor(10, TimeUnit.SECONDS)) {
                    process.destroyForcibly();
                    throw new AssertionError("the proxy does not end");
                }
            } catch (InterruptedException e) {
                process.destroyForcibly();
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted while the proxy ends");
            }
            answers.close();
            Files.delete(log);
        }
    }

    /** Empty if the reset comes before the connect has returned. */
    private static Optional<Peer> connect(InetSocketAddress service) throws IOException {
        try {
            return Optional.of(Peer.connect(service));
        } catch (ConnectException e) {
            throw e;
        } catch (SocketException e) {
            return Optional.empty();
        }
    }

    private static void assertServed(InetSocketAddress service) throws IOException {
        try (Peer client = Peer.connect(service)) {
            assertThat(client.receiveText(5)).isEqualTo("hello");
        }
    }

    @OnEachTransport
    void withoutDescriptorsClientsAreResetOrWaitAndNothingSpins(NettyTransport transport)
            throws Exception {
        try (Backend backend = Backend.start(Behaviour.banner("hello"));
                Proxy proxy = new Proxy(transport, backend, "ulimit -n 256")) {
            assertServed(proxy.service);
            await().until(() -> proxy.ask("active") == 0);
            assertThat(proxy.ask("take")).isPositive();
            long cpuBefore = proxy.ask("cpu");
            long began = System.nanoTime();
            List<Peer> clients = new ArrayList<>();
            for (int i = 0; i < 450; i++) {
                connect(proxy.service).ifPresent(clients::add);
            }
            TimeUnit.SECONDS.sleep(3);
            long elapsed = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
            assertThat(proxy.ask("cpu") - cpuBefore).as("CPU ms").isLessThan(elapsed / 5);
            assertThat(proxy.log().stream().filter(line -> line.contains(" WARN ")).count())
                    .as("log lines: %s", proxy.log())
                    .isBetween(1L, 3L);
            clients.forEach(Peer::close);
            proxy.ask("give");
            try {
                await().atMost(Duration.ofSeconds(2))
                        .ignoreExceptions()
                        .untilAsserted(() -> assertServed(proxy.service));
            } catch (ConditionTimeoutException e) {
                throw new AssertionError(String.join("\n", proxy.log()), e);
            }
            await().until(() -> proxy.ask("active") == 0);
            assertServed(proxy.service);
        }
    }

    /**
     * {@code java.nio} gives a descriptor back a turn later: there the second question is served.
     */
    @OnEachTransport
    void withoutDescriptorsAUdpClientHasThatOfTheLongestIdleSession(NettyTransport transport)
            throws Exception {
        try (Backend backend = Backend.start(Behaviour.banner("hello"));
                UdpPod pod = new UdpPod("a");
                Proxy proxy = new Proxy(transport, backend, "ulimit -n 256")) {
            InetSocketAddress service =
                    new InetSocketAddress(
                            InetAddress.getLoopbackAddress(),
                            (int) proxy.ask("udp " + pod.endpoint().port()));
            for (int i = 0; i < 3; i++) {
                try (UdpClient client = new UdpClient(service)) {
                    assertThat(client.ask("who")).isEqualTo("a");
                }
            }
            assertThat(proxy.ask("take")).isPositive();
            for (int i = 0; i < 8; i++) {
                try (UdpClient client = new UdpClient(service)) {
                    client.patience(500);
                    await().ignoreExceptions()
                            .untilAsserted(() -> assertThat(client.ask("who")).isEqualTo("a"));
                }
            }
            proxy.ask("give");
            assertThat(proxy.log().stream().filter(line -> line.contains("no socket")).count())
                    .as("log lines: %s", proxy.log())
                    .isBetween(1L, 2L);
        }
    }

    @OnEachTransport
    void moreClientsThanDescriptorsCarryAreReset(NettyTransport transport) throws Exception {
        try (Backend backend = Backend.start(Behaviour.banner("hello"));
                Proxy proxy = new Proxy(transport, backend, "ulimit -n 256")) {
            List<Peer> clients = new ArrayList<>();
            for (int i = 0; i < 450; i++) {
                connect(proxy.service).ifPresent(clients::add);
            }
            int served = 0;
            for (Peer client : clients) {
                served += client.receive(DOWN, 0, 5).bytes() == 5 ? 1 : 0;
            }
            // (256 - 1 listener - 128 in reserve) / 2
            assertThat(served).isEqualTo(63);
            clients.forEach(Peer::close);
            await().until(() -> proxy.ask("active") == 0);
            assertServed(proxy.service);
        }
    }

    /** Bytes that slow readers have not taken fill the memory for them; the others go on. */
    @OnEachTransport
    void withoutMemoryForSlowReadersTheLoopGoesOn(NettyTransport transport) throws Exception {
        long endless = Long.MAX_VALUE / 2;
        Behaviour floodsWhoAsks =
                server -> {
                    server.send("hello");
                    server.receiveText(1);
                    server.send(DOWN, endless);
                };
        try (Backend backend = Backend.start(floodsWhoAsks);
                Proxy proxy =
                        new Proxy(
                                transport,
                                backend,
                                ":",
                                "-XX:MaxDirectMemorySize=3m",
                                "-Dio.netty.maxDirectMemory=3145728")) {
            List<Peer> slow = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                Peer client = Peer.connectWithReceiveBuffer(proxy.service, 4096);
                client.send("?");
                slow.add(client);
            }
            await().atMost(Duration.ofSeconds(30))
                    .until(
                            () ->
                                    proxy.ask("active") < slow.size()
                                            && proxy.log().stream()
                                                    .anyMatch(line -> line.contains("OutOf")));
            for (Peer client : slow) {
                client.close();
            }
            // Its log comes by the same pipe as its answers: it goes on as fast as that is read.
            await().atMost(Duration.ofSeconds(30)).until(() -> proxy.ask("active") == 0);
            for (int i = 0; i < 10; i++) {
                assertServed(proxy.service);
            }
        }
    }
}
