package dev.sluice.app;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The launcher beside the jar, its files of JVM flags, and the archive of classes that it makes.
 */
@Timeout(120)
class LauncherIT {
    /** What the JVM that wrote an archive calls itself, at the head of the file. */
    private static final String VM_NAME = "64-Bit Server VM";

    /** In bytes. */
    private static final int HEAD = 4096;

    @TempDir private static Path shared;
    private static Path archive;

    @TempDir private Path folder;

    @BeforeAll
    static void writeArchive() throws Exception {
        assumeTrue(
                Files.isExecutable(Path.of("/bin/sh")),
                "no /bin/sh: the launcher and its archive are not tested");
        archive = shared.resolve("sluice.jsa");

        Finished written = finished(Map.of("SLUICE_ARCHIVE", archive.toString()), "archive");

        assertThat(written.err()).isEmpty();
        assertThat(written.exitCode()).isZero();
        try (var files = Files.list(shared)) {
            assertThat(files).containsExactly(archive);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"sluice", "sluice-sidecar"})
    void thisJvmTakesEachFileOfFlagsAndTheArchive(String flags) throws Exception {
        Path loaded = folder.resolve("loaded");

        Finished version =
                finished(
                        Map.of(
                                "SLUICE_JVM",
                                flags,
                                "SLUICE_ARCHIVE",
                                archive.toString(),
                                "JDK_JAVA_OPTIONS",
                                "-Xlog:class+load:file=" + loaded),
                        "version");

        assertThat(version.exitCode()).isZero();
        assertThat(version.out()).startsWith("sluice ");
        assertThat(sourceOf(ProgramLogLayout.class, loaded)).startsWith("shared objects file");
    }

    @Test
    void anArchiveOfAnotherJvmIsLeftAlone() throws Exception {
        byte[] bytes = Files.readAllBytes(archive);
        int name = new String(bytes, 0, HEAD, ISO_8859_1).indexOf(VM_NAME);
        assertThat(name).isPositive();
        bytes[name] = '3';
        Path foreign = Files.write(folder.resolve("foreign.jsa"), bytes);

        assertStartsWithoutArchive(foreign);
    }

    @Test
    void aFileThatIsNoArchiveIsLeftAlone() throws Exception {
        assertStartsWithoutArchive(Files.writeString(folder.resolve("no.jsa"), "no archive\n"));
    }

    private void assertStartsWithoutArchive(Path file) throws Exception {
        Path loaded = folder.resolve("loaded");

        Finished version =
                finished(
                        Map.of(
                                "SLUICE_ARCHIVE",
                                file.toString(),
                                "JDK_JAVA_OPTIONS",
                                "-Xlog:class+load:file=" + loaded),
                        "version");

        assertThat(version.exitCode()).isZero();
        assertThat(version.out()).contains("sluice ");
        assertThat(sourceOf(ProgramLogLayout.class, loaded)).contains("sluice.jar");
    }

    @Test
    void servesUntilASignalComesThroughALinkToIt() throws Exception {
        Path manifests = Files.writeString(folder.resolve("empty.yaml"), "kind: List\n");
        Path link = Files.createSymbolicLink(folder.resolve("link"), launcher());
        Process process =
                start(
                        link,
                        Map.of("SLUICE_ARCHIVE", archive.toString()),
                        "run",
                        "--manifests",
                        manifests.toString(),
                        "--redirect",
                        "none",
                        "--set",
                        "admin.address=none",
                        "--set",
                        "health.address=none");
        try (BufferedReader log = process.errorReader()) {
            assertThat(log.lines().filter(line -> line.contains("serving 0 Services")).findFirst())
                    .isPresent();
            // Process.destroy would close the log as well.
            process.toHandle().destroy();

            assertThat(log.readLine()).contains("SIGTERM: ending");
            assertThat(process.waitFor()).isZero();
        } finally {
            Files.delete(link);
            process.destroyForcibly();
        }
    }

    @Test
    void aFileOfFlagsThatIsNotThereIsNamed() throws Exception {
        Finished missing = finished(Map.of("SLUICE_JVM", "./none.jvm"), "version");

        assertThat(missing.exitCode()).isEqualTo(ExitCodes.INVALID_CONFIG);
        assertThat(missing.err()).isEqualTo("sluice: SLUICE_JVM: there is no file ./none.jvm\n");
    }

    @Test
    void anArchiveThatCantBeWrittenIsAnError() throws Exception {
        Path none = folder.resolve("none");
        Path nowhere = none.resolve("sluice.jsa");

        Finished failed = finished(Map.of("SLUICE_ARCHIVE", nowhere.toString()), "archive");

        assertThat(failed.exitCode()).isEqualTo(ExitCodes.FAILED);
        assertThat(failed.err())
                .isEqualTo(
                        "sluice archive: "
                                + nowhere
                                + ": no folder "
                                + none
                                + " that can be written to\n");
    }

    private static String sourceOf(Class<?> type, Path loaded) throws IOException {
        return Files.readAllLines(loaded).stream()
                .filter(line -> line.contains(type.getName() + " source: "))
                .findFirst()
                .map(line -> line.replaceFirst(".* source: ", ""))
                .orElse("not loaded");
    }

    private record Finished(int exitCode, String out, String err) {}

    /** For little output only: it is read one stream after the other. */
    private static Finished finished(Map<String, String> environment, String... arguments)
            throws Exception {
        Process process = start(launcher(), environment, arguments);
        try {
            String out = new String(process.getInputStream().readAllBytes(), UTF_8);
            String err = new String(process.getErrorStream().readAllBytes(), UTF_8);
            return new Finished(process.waitFor(), out, err);
        } finally {
            process.destroyForcibly();
        }
    }

    private static Path launcher() {
        return Path.of(System.getProperty("sluice.launcher"));
    }

    private static Process start(
            Path launcher, Map<String, String> environment, String... arguments)
            throws IOException {
        List<String> command = new ArrayList<>(List.of(arguments));
        command.add(0, launcher.toString());
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().putAll(environment);
        return builder.start();
    }
}
