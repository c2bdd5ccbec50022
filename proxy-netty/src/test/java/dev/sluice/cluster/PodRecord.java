package dev.sluice.cluster;

import dev.sluice.e2e.Pod;
import dev.sluice.peer.Ending;
import dev.sluice.peer.Peer;
import dev.sluice.peer.Received;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Scanner;
import org.awaitility.Awaitility;

/**
 * What a pod's server saw of the first connection that it served to its end. It comes in a file,
 * which pods share with the test.
 *
 * <p>Threads: the test's.
 */
final class PodRecord {
    /** Longer than a server waits for the next byte. */
    private static final Duration LIMIT = Peer.PATIENCE.multipliedBy(2);

    private final Path file;

    private PodRecord(Path file) {
        this.file = file;
    }

    /** How a connection is served. */
    interface Served extends Serializable {
        Received serve(Peer connection) throws IOException;
    }

    /** Lets the pod serve like that from now on. */
    static PodRecord of(Pod pod, Served served) throws IOException {
        Path file = Files.createTempDirectory("sluice-record").resolve("received");
        String name = file.toString();
        pod.serve(
                () ->
                        connection -> {
                            Received received = served.serve(connection);
                            Path draft = Path.of(name + ".draft");
                            Files.writeString(
                                    draft,
                                    received.bytes()
                                            + " "
                                            + received.differsAt()
                                            + " "
                                            + received.ending());
                            Files.move(draft, Path.of(name));
                        });
        return new PodRecord(file);
    }

    /** Waits for the end of that connection. */
    Received await() throws IOException {
        Awaitility.await().atMost(LIMIT).until(() -> Files.exists(file));
        Scanner words = new Scanner(Files.readString(file));
        Received received =
                new Received(words.nextLong(), words.nextLong(), Ending.valueOf(words.next()));
        Files.delete(file);
        Files.delete(file.getParent());
        return received;
    }
}
