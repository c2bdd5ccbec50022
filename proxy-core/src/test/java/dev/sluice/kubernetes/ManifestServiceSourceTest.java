package dev.sluice.kubernetes;

import static dev.sluice.kubernetes.KubernetesFixtures.names;
import static dev.sluice.kubernetes.KubernetesFixtures.only;
import static dev.sluice.kubernetes.KubernetesFixtures.problems;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.sluice.model.ServicePort;
import dev.sluice.model.ServiceSnapshot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

/** Each look at the files is a step of the test, but for the last test, where the thread looks. */
class ManifestServiceSourceTest {
    @TempDir Path folder;

    private final AtomicLong nanos = new AtomicLong();
    private final AtomicInteger changes = new AtomicInteger();
    private ManifestServiceSource source =
            new ManifestServiceSource(
                    Path.of("unused"),
                    KubernetesFixtures.RULES,
                    KubernetesFixtures.ownNode(),
                    System::nanoTime);

    @AfterEach
    void close() {
        source.close();
    }

    @Test
    void theFirstStateIsCompleteAtOnce() throws IOException {
        write("a.yaml", service("a", 1));

        begin(folder);

        assertThat(names(snapshot())).containsExactly("a/");
        assertThat(changes).hasValue(1);
    }

    @Test
    void thereIsNoSnapshotBeforeTheStart() {
        assertThat(source.snapshot()).isEmpty();
    }

    @Test
    void anEmptyFolderIsAnEmptyState() {
        begin(folder);

        assertThat(snapshot()).isEqualTo(ServiceSnapshot.EMPTY);
    }

    @ParameterizedTest
    @CsvSource({
        "missing, there is no such file or folder",
        "missing/a.yaml, there is no such file or folder",
        "dangling.yaml, there is no such file or folder",
        "a.yaml/b.yaml, Not a directory",
        "/dev/null, is neither a file nor a folder",
    })
    void aPathThatCannotBeReadStopsTheStart(String name, String reason) throws IOException {
        write("a.yaml", service("a", 1));
        Files.createSymbolicLink(folder.resolve("dangling.yaml"), folder.resolve("missing"));
        Path path = folder.resolve(name);
        source =
                new ManifestServiceSource(
                        path,
                        KubernetesFixtures.RULES,
                        KubernetesFixtures.ownNode(),
                        System::nanoTime);

        assertThatThrownBy(() -> source.start(changes::incrementAndGet))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("manifests '" + path + "' cannot be read: ")
                .hasMessageContaining(reason);

        assertThat(threads()).isEmpty();
        assertThat(source.snapshot()).isEmpty();
        assertThat(changes).hasValue(0);
    }

    /** Else its poll would call a program that was told that the start failed. */
    @Test
    void aCallbackThatThrowsStopsTheStart() {
        source =
                new ManifestServiceSource(
                        folder,
                        KubernetesFixtures.RULES,
                        KubernetesFixtures.ownNode(),
                        System::nanoTime);

        assertThatThrownBy(
                        () ->
                                source.start(
                                        () -> {
                                            throw new IllegalStateException("built to throw");
                                        }))
                .hasMessage("built to throw");

        assertThat(threads()).isEmpty();
    }

    @Test
    void aFileThatIsReplacedIsReadAgain() throws IOException {
        write("a.yaml", service("a", 1));
        var poll = begin(folder.resolve("a.yaml"));

        replace("a.yaml", service("b", 2));
        look(poll, 2);

        assertThat(names(snapshot())).containsExactly("b/");
        assertThat(changes).hasValue(2);
    }

    @Test
    void aReplacementOfTheSameSizeIsSeen() throws IOException {
        write("a.yaml", service("a", 1));
        var poll = begin(folder);

        var modified = Files.getLastModifiedTime(folder.resolve("a.yaml"));
        Path next = folder.resolve(".next");
        Files.writeString(next, service("b", 2));
        Files.setLastModifiedTime(next, modified);
        Files.move(next, folder.resolve("a.yaml"), StandardCopyOption.ATOMIC_MOVE);
        look(poll, 2);

        assertThat(names(snapshot())).containsExactly("b/");
    }

    @Test
    void filesComeAndGo() throws IOException {
        write("a.yaml", service("a", 1));
        var poll = begin(folder);
        ServicePort a = only(snapshot());

        write("b.yaml", service("b", 2));
        look(poll, 2);
        assertThat(names(snapshot())).containsExactly("a/", "b/");
        assertThat(snapshot().servicePorts().get(a.name())).isSameAs(a);

        Files.delete(folder.resolve("a.yaml"));
        look(poll, 2);
        assertThat(names(snapshot())).containsExactly("b/");
    }

    @Test
    void theLinkSwapOfAMountedConfigMapIsSeen() throws IOException {
        Path first = Files.createDirectory(folder.resolve("..2024_01"));
        Files.writeString(first.resolve("a.yaml"), service("a", 1));
        Path second = Files.createDirectory(folder.resolve("..2024_02"));
        Files.writeString(second.resolve("a.yaml"), service("b", 2));
        Files.createSymbolicLink(folder.resolve("..data"), first.getFileName());
        Files.createSymbolicLink(folder.resolve("a.yaml"), Path.of("..data/a.yaml"));
        var poll = begin(folder);
        assertThat(names(snapshot())).containsExactly("a/");

        Files.createSymbolicLink(folder.resolve("..data_tmp"), second.getFileName());
        Files.move(
                folder.resolve("..data_tmp"),
                folder.resolve("..data"),
                StandardCopyOption.ATOMIC_MOVE);
        look(poll, 2);

        assertThat(names(snapshot())).containsExactly("b/");
    }

    @Test
    void nothingIsToldWhileNothingChanges() throws IOException {
        write("a.yaml", service("a", 1));
        var poll = begin(folder);
        ServiceSnapshot before = snapshot();

        look(poll, 5);
        replace("a.yaml", service("a", 1));
        look(poll, 3);

        assertThat(changes).hasValue(1);
        assertThat(snapshot()).isSameAs(before);
    }

    @Test
    void aFileUnderTheHandsOfAWriterIsReadAfterAWhile() throws IOException {
        write("a.yaml", service("a", 1));
        var poll = begin(folder);

        for (int i = 0; i < 4; i++) {
            write("a.yaml", service("b", 2) + "#".repeat(i) + "\n");
            look(poll, 1);
        }

        assertThat(names(snapshot())).containsExactly("b/");
    }

    @Test
    void whatAHandEditedFileSaysOfItsVersionIsNotBelieved() throws IOException {
        String saved = service("a", 1).replace("name: a", "name: a, uid: u, resourceVersion: '7'");
        write("a.yaml", saved);
        var poll = begin(folder);

        replace("a.yaml", saved.replace("10.96.0.1", "10.96.0.9"));
        look(poll, 2);

        assertThat(only(snapshot()).clusterIps()).asString().isEqualTo("[10.96.0.9]");
    }

    @Test
    void theLastStateIsServedWhileTheFolderIsAway() throws IOException {
        Path manifests = Files.createDirectory(folder.resolve("manifests"));
        Files.writeString(manifests.resolve("a.yaml"), service("a", 1));
        var poll = begin(manifests);
        ServicePort a = only(snapshot());

        Path away = Files.move(manifests, folder.resolve("away"));
        look(poll, 3);
        assertThat(only(snapshot())).isSameAs(a);
        assertThat(problems(snapshot()))
                .singleElement()
                .asString()
                .isEqualTo(
                        manifests
                                + ": cannot be read, and what was read before is still served:"
                                + " there is no such file or folder");

        Files.move(away, manifests);
        look(poll, 2);
        assertThat(only(snapshot())).isSameAs(a);
        assertThat(snapshot().problems()).isEmpty();
        assertThat(changes).hasValue(3);
    }

    @Test
    void problemsAreLoggedOnceWhenTheyComeAndOnceWhenTheyGo() throws IOException {
        Logger logger = (Logger) LoggerFactory.getLogger(ProblemLog.class);
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        logger.addAppender(log);
        try {
            write("a.yaml", service("a", 1) + "---\nkind: [");
            var poll = begin(folder);
            replace("b.yaml", service("b", 2));
            look(poll, 4);
            replace("a.yaml", service("a", 1));
            look(poll, 4);
        } finally {
            logger.detachAppender(log);
        }

        assertThat(log.list)
                .extracting(event -> event.getLevel() + " " + event.getFormattedMessage())
                .satisfiesExactly(
                        come -> assertThat(come).startsWith("WARN Left out: a.yaml document 2: "),
                        gone -> assertThat(gone).startsWith("INFO Solved: a.yaml document 2: "));
    }

    @Test
    void aCallbackThatThrowsDoesNotEndTheLooks() throws IOException {
        source =
                new ManifestServiceSource(
                        folder, KubernetesFixtures.RULES, KubernetesFixtures.ownNode(), nanos::get);
        var poll =
                source.begin(
                        () -> {
                            if (changes.incrementAndGet() == 2) {
                                throw new IllegalStateException("built to throw");
                            }
                        });
        write("a.yaml", service("a", 1));
        look(poll, 2);
        write("b.yaml", service("b", 2));
        look(poll, 2);

        assertThat(names(snapshot())).containsExactly("a/", "b/");
        assertThat(changes).hasValue(3);
    }

    @Test
    void nothingIsToldAfterTheClose() throws IOException {
        var poll = begin(folder);

        source.close();
        write("a.yaml", service("a", 1));
        look(poll, 3);

        assertThat(changes).hasValue(1);
    }

    @Test
    void itsOwnThreadLooks() throws IOException {
        source =
                new ManifestServiceSource(
                        folder,
                        KubernetesFixtures.RULES,
                        KubernetesFixtures.ownNode(),
                        System::nanoTime);
        source.start(changes::incrementAndGet);
        assertThat(changes).hasValue(1);

        replace("a.yaml", service("a", 1));

        await().atMost(Duration.ofSeconds(10)).until(() -> changes.get() == 2);
        assertThat(names(snapshot())).containsExactly("a/");
        assertThat(threads()).hasSize(1);
        source.close();
        await().atMost(Duration.ofSeconds(10)).until(() -> threads().isEmpty());
    }

    private static List<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("sluice-manifests"))
                .toList();
    }

    private ManifestServiceSource.Poll begin(Path path) {
        source =
                new ManifestServiceSource(
                        path, KubernetesFixtures.RULES, KubernetesFixtures.ownNode(), nanos::get);
        return source.begin(changes::incrementAndGet);
    }

    private void look(ManifestServiceSource.Poll poll, int times) {
        for (int i = 0; i < times; i++) {
            nanos.addAndGet(Duration.ofMillis(200).toNanos());
            poll.run();
        }
    }

    private ServiceSnapshot snapshot() {
        return source.snapshot().orElseThrow();
    }

    private void write(String name, String text) throws IOException {
        Files.writeString(folder.resolve(name), text);
    }

    private void replace(String name, String text) throws IOException {
        write(".next", text);
        Files.move(folder.resolve(".next"), folder.resolve(name), StandardCopyOption.ATOMIC_MOVE);
    }

    private static String service(String name, int number) {
        return """
        apiVersion: v1
        kind: Service
        metadata: {name: %s}
        spec: {clusterIP: 10.96.0.%d, ports: [{port: 80}]}
        """
                .formatted(name, number);
    }
}
