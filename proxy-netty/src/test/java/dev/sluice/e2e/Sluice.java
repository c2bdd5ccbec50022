package dev.sluice.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.redirect.Namespace;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * One run of {@code sluice.jar} on the node.
 *
 * <p>Threads: the test's; a thread of its own reads the log.
 */
public final class Sluice {
    /** Longest wait for the program to start, on a machine that does other things as well. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Process process;
    private final List<String> log = new CopyOnWriteArrayList<>();
    private final Thread reader = new Thread(this::readLog, "log of sluice");

    private Sluice(Process process) {
        this.process = process;
        reader.setDaemon(true);
        reader.start();
    }

    /** Starts it with these arguments. */
    public static Sluice start(Namespace node, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(node.prefix());
        command.addAll(
                List.of(
                        System.getProperty("java.home") + "/bin/java",
                        "-Xmx256m",
                        "-XX:TieredStopAtLevel=1",
                        "-jar",
                        System.getProperty("sluice.jar")));
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().keySet().removeIf(name -> name.startsWith("SLUICE_"));
        return new Sluice(builder.start());
    }

    private void readLog() {
        try (BufferedReader lines = process.inputReader(UTF_8)) {
            lines.lines().forEach(log::add);
        } catch (IOException | UncheckedIOException e) {
            log.add("(the log broke off: " + e + ")");
        }
    }

    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** What it has printed so far. */
    public String log() {
        return String.join("\n", log);
    }

    /** Waits until it says that what it found at its start is in force. */
    public Sluice awaitServing() {
        return awaitLog("serving ");
    }

    public Sluice awaitLog(String text) {
        await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(20))
                .until(() -> log().contains(text) || !process.isAlive());
        assertThat(log()).contains(text);
        return this;
    }

    /** SIGTERM. */
    public void terminate() {
        // Process.destroy would close its output as well.
        process.toHandle().destroy();
    }

    /** SIGKILL; returns when it is gone. */
    public void kill() throws InterruptedException {
        process.toHandle().destroyForcibly();
        process.waitFor();
    }

    /** Waits for the end and for the last line of the log. */
    public int awaitExit(Duration limit) throws InterruptedException {
        assertThat(process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS))
                .as("ended within " + limit + "; its log:\n" + log())
                .isTrue();
        reader.join(PATIENCE.toMillis());
        return process.exitValue();
    }

    /** Number of its open sockets: listeners, both legs of connections, and those it keeps. */
    public int sockets() throws IOException {
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/" + process.pid() + "/fd"))) {
            return (int) descriptors.filter(Sluice::isSocket).count();
        }
    }

    private static boolean isSocket(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString().startsWith("socket:");
        } catch (IOException e) {
            // Closed since it was listed.
            return false;
        }
    }
}
