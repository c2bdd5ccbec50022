package dev.sluice.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.peer.Behaviour;
import dev.sluice.redirect.RedirectException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.awaitility.core.ThrowingRunnable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * What a test needs: the cluster, which all tests of a run share, and a live folder of manifests
 * and a state directory of its own. At first the backends {@code a}, {@code b} and {@code c} tell
 * each client their name.
 *
 * <p>After each test the Services go away; the program must then hold no socket more than one that
 * never had any, must end with code 0, and must leave the rules as they were and no connection to a
 * ClusterIP behind.
 *
 * <p>Threads: the test's.
 */
final class Testbed implements BeforeEachCallback, AfterEachCallback {
    /** Longest time until a change in the folder is in force, rules included. */
    static final Duration CHANGE_LIMIT = Duration.ofSeconds(5);

    private static final Namespace STORE = Namespace.create(Testbed.class);
    private static final Duration END_LIMIT = Duration.ofSeconds(10);
    private static final List<String> ENDED = List.of(" TIME_WAIT ", " CLOSE ");

    private @Nullable Cluster cluster;
    private @Nullable Path folder;
    private final List<Sluice> started = new ArrayList<>();

    @Override
    public void beforeEach(ExtensionContext context) throws Exception {
        cluster =
                context.getRoot()
                        .getStore(STORE)
                        .getOrComputeIfAbsent(Cluster.class, key -> createCluster(), Cluster.class);
        folder = Files.createTempDirectory("sluice-e2e");
        Files.createDirectory(manifests());
        a().serve(() -> Behaviour.id("a"));
        b().serve(() -> Behaviour.id("b"));
        c().serve(() -> Behaviour.id("c"));
    }

    @Override
    public void afterEach(ExtensionContext context) throws Exception {
        if (folder == null) {
            return;
        }
        try {
            if (context.getExecutionException().isEmpty()) {
                checkNothingIsLeft();
            } else {
                started.forEach(sluice -> System.err.println("log of sluice:\n" + sluice.log()));
            }
        } finally {
            tidy();
        }
    }

    private static Cluster createCluster() {
        try {
            return Cluster.create();
        } catch (IOException | RedirectException | InterruptedException e) {
            throw new IllegalStateException("the namespaces could not be set up", e);
        }
    }

    private Cluster cluster() {
        return Objects.requireNonNull(cluster, "no test runs");
    }

    private Path folder() {
        return Objects.requireNonNull(folder, "no test runs");
    }

    Pod node() {
        return cluster().node();
    }

    /** Clients on the node, behind an interface with an address and behind one without. */
    List<Pod> clients() {
        return List.of(node(), bridgedClient(), routedClient());
    }

    Pod bridgedClient() {
        return cluster().bridgedClient();
    }

    Pod routedClient() {
        return cluster().routedClient();
    }

    Pod a() {
        return cluster().backends().get(0);
    }

    Pod b() {
        return cluster().backends().get(1);
    }

    Pod c() {
        return cluster().backends().get(2);
    }

    /** The folder that is followed. */
    Path manifests() {
        return folder().resolve("manifests");
    }

    /** Writes the Service into the folder, in one step, in place of an earlier state of it. */
    void apply(ServiceManifest service) throws IOException {
        write(service.name() + ".yaml", service.yaml());
    }

    void write(String file, String text) throws IOException {
        Path draft = Files.writeString(folder().resolve(file), text);
        Files.move(draft, manifests().resolve(file), StandardCopyOption.ATOMIC_MOVE);
    }

    void remove(ServiceManifest service) throws IOException {
        Files.delete(manifests().resolve(service.name() + ".yaml"));
    }

    /** {@code sluice run} with the folder, and {@code more}, which may not be serving yet. */
    Sluice launch(String... more) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("run", "--manifests"));
        arguments.add(manifests().toString());
        return program(arguments, more);
    }

    /** {@code sluice run} once all Services in the folder are served. */
    Sluice start(String... more) throws IOException {
        return launch(more).awaitServing();
    }

    /** {@code sluice cleanup}. */
    Sluice cleanup() throws IOException {
        return program(List.of("cleanup"));
    }

    private Sluice program(List<String> command, String... more) throws IOException {
        List<String> arguments = new ArrayList<>(command);
        Collections.addAll(arguments, "--set", "state.directory=" + folder().resolve("state"));
        // Most tests make one change after another.
        Collections.addAll(arguments, "--set", "reconcile.min-rule-interval=100ms");
        Collections.addAll(arguments, more);
        Sluice sluice = Sluice.start(node().namespace(), arguments);
        started.add(sluice);
        return sluice;
    }

    /** Local port of the listener that the rules send port 80 or another one of a ClusterIP to. */
    int listenerPort(String clusterIp) throws Exception {
        Matcher rule =
                Pattern.compile("-d " + Pattern.quote(clusterIp) + "/[^,\\]]* --to-ports (\\d+)")
                        .matcher(ruleset());
        assertThat(rule.find()).as("a rule for " + clusterIp).isTrue();
        return Integer.parseInt(rule.group(1));
    }

    /** Waits until the port is remembered for the next process, whatever this one dies of. */
    void awaitRemembered(int port) {
        Path file = folder().resolve("state/ports");
        eventually(() -> assertThat(file).content().contains(" " + port + "\n"));
    }

    /** All rules of the node, in a form that can be compared. */
    String ruleset() throws Exception {
        return node().namespace().ruleset();
    }

    /** Takes away whatever rules a test has put beside those of the beginning. */
    void resetRules() throws Exception {
        cluster().resetRules();
    }

    /** Waits until a change in the folder is in force. */
    static void eventually(ThrowingRunnable assertion) {
        await().atMost(CHANGE_LIMIT).pollInterval(Duration.ofMillis(50)).untilAsserted(assertion);
    }

    static InetSocketAddress service(String clusterIp) {
        return new InetSocketAddress(clusterIp, 80);
    }

    private void checkNothingIsLeft() throws Exception {
        for (Pod pod : cluster().all()) {
            pod.closeAll();
        }
        try (Stream<Path> files = Files.list(manifests())) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        for (Sluice sluice : started) {
            if (sluice.isAlive()) {
                checkEndsWithoutATrace(sluice);
            }
        }
        assertThat(ruleset()).as("rules after the test").isEqualTo(cluster().foreignRules());
        await("the kernel follows no connection to a ClusterIP any more")
                .atMost(END_LIMIT)
                .untilAsserted(() -> assertThat(trackedConnections()).isEmpty());
    }

    private void checkEndsWithoutATrace(Sluice sluice) throws Exception {
        await("no Service, no socket")
                .atMost(END_LIMIT)
                .pollInterval(Duration.ofMillis(20))
                .untilAsserted(
                        () ->
                                assertThat(sluice.sockets())
                                        .as(sluice.log())
                                        .isLessThanOrEqualTo(cluster().idleSockets()));
        sluice.terminate();
        assertThat(sluice.awaitExit(END_LIMIT)).as(sluice.log()).isZero();
    }

    /** Connections to ClusterIPs that have not ended, as conntrack(8) shows them. */
    private List<String> trackedConnections() throws Exception {
        String all =
                node().namespace().run("conntrack", "-L", "-f", "ipv4")
                        + node().namespace().run("conntrack", "-L", "-f", "ipv6");
        return all.lines()
                .filter(line -> line.contains(" dst=10.96.0.") || line.contains(" dst=fd00:96::"))
                .filter(line -> ENDED.stream().noneMatch(line::contains))
                .toList();
    }

    private void tidy() throws Exception {
        for (Sluice sluice : started) {
            sluice.kill();
        }
        started.clear();
        cluster().reset();
        delete(folder());
    }

    /** A folder and all in it. */
    static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
