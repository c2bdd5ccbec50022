package dev.sluice.cluster;

import dev.sluice.e2e.Connection;
import dev.sluice.e2e.Pod;
import dev.sluice.peer.Behaviour;
import dev.sluice.peer.Content;
import dev.sluice.peer.Ending;
import dev.sluice.peer.Peer;
import dev.sluice.peer.Received;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;

/**
 * How the end of one leg of a connection shows on the other one.
 *
 * <p>Stateless; threads: the test's.
 */
final class EndingScenarios {
    private static final int KIB = 1 << 10;
    private static final int MIB = 1 << 20;
    private static final int TIMES = 10;

    private EndingScenarios() {}

    static List<Scenario> all() {
        return List.of(
                new Scenario(
                        "client half-closes, then the pod sends 32 MiB",
                        EndingScenarios::replyAfterTheClientsEnd),
                new Scenario(
                        "pod half-closes, then the client sends 8 MiB",
                        EndingScenarios::requestAfterThePodsEnd),
                new Scenario(
                        "pod sends 64 KiB, then resets, 10 times",
                        EndingScenarios::resetAfterAReply),
                new Scenario("pod resets while it sends 4 MiB", EndingScenarios::resetInMidReply),
                new Scenario("pod resets at once", EndingScenarios::resetAtOnce),
                new Scenario("client resets; the pod sees", EndingScenarios::resetByTheClient),
                new Scenario(
                        "20 half-closed connections have ended; left on the node",
                        EndingScenarios::leftovers));
    }

    private static Observation replyAfterTheClientsEnd(Bench bench) throws Exception {
        HandMadeService service = bench.service(bench.lab().a());
        bench.lab()
                .a()
                .serve(
                        () ->
                                Behaviour.answerAfterEnd(
                                        Duration.ofMillis(50), Content.of(0), 32 * MIB));
        Received received = bench.lab().client().exchange(service.address(), 1000);
        return new Observation(
                received.equals(Received.intact(32 * MIB, Ending.EOF)), words(received));
    }

    private static Observation requestAfterThePodsEnd(Bench bench) throws Exception {
        HandMadeService service = bench.service(bench.lab().a());
        PodRecord record =
                PodRecord.of(
                        bench.lab().a(),
                        connection -> {
                            connection.finish();
                            return connection.receiveToEnd(Content.of(0));
                        });
        InetSocketAddress address = service.address();
        bench.lab()
                .client()
                .call(
                        kept -> {
                            try (Peer peer = Peer.connect(address)) {
                                peer.receiveToEnd(Content.of(0));
                                peer.send(Content.of(0), 8 * MIB);
                                return "sent";
                            } catch (IOException e) {
                                return e.toString();
                            }
                        });
        Received received = record.await();
        return new Observation(
                received.equals(Received.intact(8 * MIB, Ending.EOF)),
                "the pod got " + words(received));
    }

    private static Observation resetAfterAReply(Bench bench) throws Exception {
        HandMadeService service = bench.service(bench.lab().a());
        bench.lab()
                .a()
                .serve(
                        () ->
                                peer -> {
                                    peer.send(Content.of(0), 64 * KIB);
                                    peer.awaitAcknowledged();
                                    peer.reset();
                                });
        int whole = 0;
        int resets = 0;
        for (int i = 0; i < TIMES; i++) {
            Received received = bench.lab().client().fetch(service.address());
            whole += received.bytes() == 64 * KIB && received.isPrefix() ? 1 : 0;
            resets += received.ending() == Ending.RESET ? 1 : 0;
        }
        return new Observation(
                whole == TIMES && resets == TIMES,
                whole + " whole replies; " + resets + " RST, " + (TIMES - resets) + " FIN");
    }

    private static Observation resetInMidReply(Bench bench) throws Exception {
        HandMadeService service = bench.service(bench.lab().a());
        bench.lab()
                .a()
                .serve(
                        () ->
                                peer -> {
                                    peer.send(Content.of(0), 4 * MIB);
                                    peer.reset();
                                });
        Received received = bench.lab().client().fetch(service.address());
        return new Observation(received.ending() == Ending.RESET, ending(received.ending()));
    }

    private static Observation resetAtOnce(Bench bench) throws Exception {
        HandMadeService service = bench.service(bench.lab().a());
        bench.lab().a().serve(Behaviour::resetOnAccept);
        Received received = bench.lab().client().fetch(service.address());
        return new Observation(received.ending() == Ending.RESET, ending(received.ending()));
    }

    private static Observation resetByTheClient(Bench bench) throws Exception {
        HandMadeService service = bench.service(bench.lab().a());
        PodRecord record =
                PodRecord.of(
                        bench.lab().a(),
                        connection -> {
                            connection.send("a");
                            return connection.receiveToEnd(Content.of(0));
                        });
        Connection connection = bench.lab().client().connect(service.address());
        connection.receive(1);
        connection.reset();
        Ending seen = record.await().ending();
        return new Observation(seen == Ending.RESET, ending(seen));
    }

    private static Observation leftovers(Bench bench) throws Exception {
        HandMadeService service = bench.service(bench.lab().a());
        for (int i = 0; i < 20; i++) {
            bench.lab().client().exchange(service.address(), 1000);
        }
        // Longer than an orderly end takes.
        Bench.idle(Duration.ofSeconds(2));
        long left =
                bench.lab()
                        .host()
                        .run("ss", "-Htn", "state", "close-wait", "state", "fin-wait-2")
                        .lines()
                        .filter(line -> line.contains(":" + Pod.PORT) || line.contains("10.244."))
                        .count();
        return new Observation(left == 0, left == 0 ? "nothing" : left + " sockets");
    }

    private static String words(Received received) {
        String amount =
                received.bytes() >= MIB
                        ? received.bytes() / MIB + " MiB"
                        : received.bytes() / KIB + " KiB";
        return amount
                + (received.isPrefix() ? "" : " with a gap at " + received.differsAt())
                + ", then "
                + ending(received.ending());
    }

    private static String ending(Ending ending) {
        return switch (ending) {
            case EOF -> "FIN";
            case RESET -> "RST";
            case OPEN -> "nothing for 10 s";
        };
    }
}
