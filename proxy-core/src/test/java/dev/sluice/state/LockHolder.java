package dev.sluice.state;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A process that opens a state directory, says how that went, and holds it until its input ends.
 */
final class LockHolder {
    private LockHolder() {}

    public static void main(String[] arguments) throws IOException {
        try (StateDirectory state =
                StateDirectory.open(Path.of(arguments[0]), Duration.parse(arguments[1]))) {
            System.out.println("locked");
            System.in.transferTo(System.err);
            System.err.println(state.file("lock"));
        } catch (IOException e) {
            System.out.println(e.getMessage());
        }
    }

    static Process start(Path directory, Duration wait) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        LockHolder.class.getName(),
                        directory.toString(),
                        wait.toString())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    static String line(Process process) throws IOException {
        return String.valueOf(
                new BufferedReader(
                                new InputStreamReader(
                                        process.getInputStream(), StandardCharsets.UTF_8))
                        .readLine());
    }

    /** Runs to the end and answers with the first line. */
    static String run(Path directory, Duration wait) throws IOException, InterruptedException {
        Process process = start(directory, wait);
        process.getOutputStream().close();
        String line = line(process);
        process.waitFor();
        return line;
    }
}
