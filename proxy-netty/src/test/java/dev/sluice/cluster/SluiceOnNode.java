package dev.sluice.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.e2e.Sluice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * {@code sluice.jar}, as the service account {@code kube-system:sluice}.
 *
 * <p>Threads: the test's.
 */
final class SluiceOnNode implements NodeProxy {
    private static final Duration END_LIMIT = Duration.ofSeconds(30);

    private final Lab lab;
    private final Path state;
    private final List<String> arguments = new ArrayList<>();
    private @Nullable Sluice process;

    /**
     * One that does not run yet.
     *
     * @param more arguments of {@code sluice run}
     */
    SluiceOnNode(Lab lab, String... more) throws IOException {
        this.lab = lab;
        this.state = Files.createTempDirectory("sluice-cluster");
        arguments.addAll(
                List.of(
                        "run",
                        "--kubeconfig",
                        lab.controlPlane().sluiceKubeconfig().toString(),
                        "--set",
                        "state.directory=" + state));
        Collections.addAll(arguments, more);
    }

    @Override
    public void start() throws IOException {
        launch();
        process().awaitServing();
    }

    /** Starts it without a wait. */
    void launch() throws IOException {
        process = Sluice.start(lab.host(), arguments);
    }

    Sluice process() {
        return Objects.requireNonNull(process, "not started");
    }

    @Override
    public void restart() throws IOException, InterruptedException {
        stop();
        start();
    }

    /** Starts a second copy, which waits, and lets the first one end; returns when it serves. */
    void succeed() throws IOException {
        Sluice first = process();
        launch();
        process().awaitLog("is in use by pid " + first.pid() + ",");
        first.terminate();
        process().awaitServing();
    }

    private void stop() throws InterruptedException {
        process().terminate();
        assertThat(process().awaitExit(END_LIMIT)).as(process().log()).isZero();
    }

    /** Ends it, if it runs. */
    @Override
    public void close() throws IOException {
        if (process != null) {
            try {
                process.kill();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        try (Stream<Path> files = Files.walk(state)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
