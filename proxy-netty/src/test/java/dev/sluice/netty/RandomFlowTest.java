package dev.sluice.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.check.DescriptorCheck;
import dev.sluice.peer.Content;
import dev.sluice.peer.Ending;
import dev.sluice.peer.Peer;
import dev.sluice.peer.Received;
import dev.sluice.peer.ScriptedBackend;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Both sides write, pause, finish and reset at random. What a reader gets is always a prefix of
 * what was written, and all of it, then EOF, where nobody reset: as without a proxy.
 */
@Timeout(120)
@ExtendWith(DescriptorCheck.class)
final class RandomFlowTest {
    private static final int FLOWS = 300;

    /* Another flow each time it is changed, the same one each time it is run. */
    private static final long SEED = 20_240_229;

    /** What one side does, in order. */
    private record Script(List<Integer> writes, List<Integer> pausesMillis, boolean resets) {
        static Script random(SplittableRandom random) {
            List<Integer> writes = new ArrayList<>();
            List<Integer> pauses = new ArrayList<>();
            for (int i = random.nextInt(6); i > 0; i--) {
                writes.add(1 << random.nextInt(19));
                pauses.add(random.nextInt(4) == 0 ? random.nextInt(5) : 0);
            }
            return new Script(writes, pauses, random.nextInt(8) == 0);
        }

        long bytes() {
            return writes.stream().mapToLong(Integer::longValue).sum();
        }

        void play(Peer peer, Content content) throws Exception {
            long at = 0;
            for (int i = 0; i < writes.size(); i++) {
                peer.send(content, at, writes.get(i));
                at += writes.get(i);
                TimeUnit.MILLISECONDS.sleep(pausesMillis.get(i));
            }
            if (resets) {
                peer.reset();
            } else {
                peer.finish();
            }
        }
    }

    @OnEachTransport
    void whatIsReadIsWhatWasWritten(NettyTransport transport) throws Exception {
        SplittableRandom random = new SplittableRandom(SEED);
        ExecutorService threads = Executors.newCachedThreadPool();
        try (Services services = new Services(Services.config(transport));
                ScriptedBackend backend = ScriptedBackend.start()) {
            InetSocketAddress web = services.open("web", backend.address());
            for (int flow = 0; flow < FLOWS; flow++) {
                Script up = Script.random(random);
                Script down = Script.random(random);
                try (Peer client = Peer.connect(web);
                        Peer server = backend.accept()) {
                    play(threads, flow, up, client, down, server);
                }
            }
            await().atMost(Duration.ofSeconds(5))
                    .until(() -> services.listeners().activeConnections() == 0);
            services.close("web");
        } finally {
            threads.shutdownNow();
        }
    }

    private static void play(
            ExecutorService threads, int flow, Script up, Peer client, Script down, Peer server)
            throws Exception {
        Content upward = Content.of(2 * flow);
        Content downward = Content.of(2 * flow + 1);
        Future<Boolean> sendsUp = threads.submit(() -> sent(up, client, upward));
        Future<Boolean> sendsDown = threads.submit(() -> sent(down, server, downward));
        Future<Received> atServer = threads.submit(() -> received(server, upward));
        Future<Received> atClient = threads.submit(() -> received(client, downward));
        String description = "flow " + flow + ": up " + up + ", down " + down;
        assertReceived(description, up, down, atServer.get(), sendsDown.get());
        assertReceived(description, down, up, atClient.get(), sendsUp.get());
    }

    /** A write fails where the other side has reset. */
    private static boolean sent(Script script, Peer peer, Content content) throws Exception {
        try {
            script.play(peer, content);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** A reader whose own side resets has its socket closed under it. */
    private static Received received(Peer peer, Content content) {
        try {
            return peer.receiveToEnd(content);
        } catch (IOException e) {
            return Received.intact(0, Ending.RESET);
        }
    }

    private static void assertReceived(
            String description,
            Script sender,
            Script reader,
            Received received,
            boolean readerWroteAll) {
        assertThat(received.isPrefix()).as(description).isTrue();
        assertThat(received.bytes()).as(description).isLessThanOrEqualTo(sender.bytes());
        if (!sender.resets() && !reader.resets()) {
            assertThat(received)
                    .as(description)
                    .isEqualTo(Received.intact(sender.bytes(), Ending.EOF));
        }
        // The kernel tells of a reset once: to a write, if that comes first.
        if (sender.resets() && !reader.resets() && readerWroteAll) {
            assertThat(received.ending()).as(description).isEqualTo(Ending.RESET);
        }
    }
}
