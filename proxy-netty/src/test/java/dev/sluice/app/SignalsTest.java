package dev.sluice.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Sends real signals to processes of its own. */
@Timeout(60)
class SignalsTest {
    @ParameterizedTest
    @CsvSource({"TERM,143", "INT,130", "HUP,129"})
    void theFirstSignalAsksAndTheSecondEndsAtOnce(String name, int exitCode) throws Exception {
        Process process = start("waiting");
        try (BufferedReader lines = process.inputReader()) {
            assertThat(lines.readLine()).isEqualTo("ready");
            send(name, process);
            assertThat(lines.readLine()).isEqualTo("asked to end, interrupted: false");
            send(name, process);

            assertThat(process.waitFor()).isEqualTo(exitCode);
            assertThat(lines.readLine()).as("no orderly end").isNull();
        } finally {
            process.destroyForcibly();
        }
    }

    @ParameterizedTest
    @CsvSource({"TERM", "INT"})
    void afterTheFirstSignalTheProgramEndsWithItsOwnCode(String name) throws Exception {
        Process process = start("ending");
        try (BufferedReader lines = process.inputReader()) {
            assertThat(lines.readLine()).isEqualTo("ready");
            send(name, process);

            assertThat(lines.readLine()).isEqualTo("asked to end, interrupted: false");
            assertThat(process.waitFor()).isZero();
        } finally {
            process.destroyForcibly();
        }
    }

    @ParameterizedTest
    @CsvSource({"TERM,143"})
    void closingPutsTheEarlierHandlersBack(String name, int exitCode) throws Exception {
        Process process = start("closed");
        try (BufferedReader lines = process.inputReader()) {
            assertThat(lines.readLine()).isEqualTo("ready");
            send(name, process);

            assertThat(process.waitFor()).isEqualTo(exitCode);
        } finally {
            process.destroyForcibly();
        }
    }

    private static Process start(String mode) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Dlogback.configurationFile=logback-stderr.xml",
                        "-cp",
                        System.getProperty("java.class.path"),
                        SignalsProgram.class.getName(),
                        mode)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    private static void send(String name, Process process)
            throws IOException, InterruptedException {
        Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start();
        assertThat(kill.waitFor()).isZero();
    }
}
