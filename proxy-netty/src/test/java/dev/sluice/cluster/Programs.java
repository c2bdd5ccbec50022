package dev.sluice.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Programs that are run to their end.
 *
 * <p>Stateless; any thread.
 */
final class Programs {
    private static final Duration LIMIT = Duration.ofMinutes(3);

    private Programs() {}

    /** Runs a program that must succeed; gives what it printed. */
    static String run(List<String> command, Map<String, String> environment, String input)
            throws IOException {
        // Files, since what a script leaves running would keep a pipe open.
        Path given = Files.writeString(Files.createTempFile("sluice-in", ".txt"), input);
        Path printed = Files.createTempFile("sluice-out", ".txt");
        try {
            ProcessBuilder builder =
                    new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectInput(given.toFile())
                            .redirectOutput(printed.toFile());
            builder.environment().putAll(environment);
            Process process = builder.start();
            if (!process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new AssertionError(String.join(" ", command) + ": not done within " + LIMIT);
            }
            String output = Files.readString(printed, UTF_8);
            if (process.exitValue() != 0) {
                throw new AssertionError(
                        String.join(" ", command)
                                + ": exit "
                                + process.exitValue()
                                + "\n"
                                + output);
            }
            return output;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException(command.get(0));
        } finally {
            Files.delete(given);
            Files.delete(printed);
        }
    }
}
