package dev.sluice.app;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.spi.Configurator;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The program as it is shipped: all parts in one jar, and it runs. */
@Timeout(60)
class RunnableJarIT {
    private static final String SERVICES = "META-INF/services/";

    /** Place of {@code e_machine} in the header of an ELF file, in bytes. */
    private static final int ELF_MACHINE = 18;

    @TempDir private Path folder;

    private JarFile jar;
    private Set<String> names;

    @BeforeEach
    void open() throws IOException {
        jar = new JarFile(System.getProperty("sluice.jar"));
        names = jar.stream().map(ZipEntry::getName).collect(Collectors.toSet());
    }

    @AfterEach
    void close() throws IOException {
        jar.close();
    }

    @Test
    void itsManifestStartsMainAndKeepsWhatThePartsNeed() throws IOException {
        Attributes manifest = jar.getManifest().getMainAttributes();

        assertThat(manifest.getValue("Main-Class")).isEqualTo(Main.class.getName());
        assertThat(manifest.getValue("Multi-Release")).isEqualTo("true");
        assertThat(manifest.getValue("Enable-Native-Access")).isEqualTo("ALL-UNNAMED");
        assertThat(manifest.getValue("Implementation-Version")).matches("\\d.*");
    }

    @Test
    void providersOfAllPartsAreMergedAndPresent() throws IOException {
        Map<String, Set<String>> merged = providers();

        assertThat(merged)
                .containsKeys(
                        "org.slf4j.spi.SLF4JServiceProvider",
                        "io.fabric8.kubernetes.client.http.HttpClient$Factory");
        for (Map.Entry<String, Set<String>> service : merged.entrySet()) {
            if (service.getKey().equals(Configurator.class.getName())) {
                assertThat(service.getValue()).containsExactly(ProgramLogLayout.class.getName());
                continue;
            }
            Set<String> ofParts = new TreeSet<>();
            for (URL part : resources(SERVICES + service.getKey())) {
                ofParts.addAll(lines(part.openStream()));
            }
            assertThat(service.getValue()).as(service.getKey()).isEqualTo(ofParts);
            assertThat(service.getValue())
                    .allSatisfy(
                            provider ->
                                    assertThat(names)
                                            .contains(provider.replace('.', '/') + ".class"));
        }
    }

    @Test
    void referenceConfHasTheDefaultsOfAllParts() throws IOException {
        String merged = text("reference.conf");

        assertThat(resources("reference.conf"))
                .isNotEmpty()
                .allSatisfy(
                        part -> {
                            try (InputStream in = part.openStream()) {
                                assertThat(merged)
                                        .contains(new String(in.readAllBytes(), UTF_8).strip());
                            }
                        });
    }

    @ParameterizedTest
    @CsvSource({"x86_64, 62", "aarch_64, 183"})
    void epollIsThereForBothKindsOfNode(String architecture, int elfMachine) throws IOException {
        String name = "META-INF/native/libnetty_transport_native_epoll_" + architecture + ".so";
        try (InputStream in = jar.getInputStream(jar.getEntry(name))) {
            assertThat(in.readNBytes(ELF_MACHINE + 1)[ELF_MACHINE] & 0xFF).isEqualTo(elfMachine);
        }
    }

    @Test
    void licencesAndNoticesOfThePartsAreKept() throws IOException {
        assertThat(text("META-INF/LICENSE")).contains("Apache License");
        assertThat(text("META-INF/NOTICE")).contains("Jackson");
    }

    @Test
    void hasNothingThatItDoesNotUse() {
        assertThat(names)
                .noneMatch(name -> name.startsWith("io/vertx/"))
                .noneMatch(name -> name.startsWith("org/junit/"))
                .noneMatch(name -> name.startsWith("org/apache/"))
                .noneMatch(name -> name.endsWith("module-info.class"))
                .noneMatch(name -> name.matches("META-INF/.*\\.(SF|DSA|RSA)"));
    }

    @Test
    void versionNamesTheVersionOfTheBuild() throws Exception {
        Finished version = finished("version");

        assertThat(version.exitCode()).isZero();
        assertThat(version.err()).isEmpty();
        assertThat(version.out().lines().toList())
                .hasSize(4)
                .contains(
                        "sluice "
                                + jar.getManifest()
                                        .getMainAttributes()
                                        .getValue("Implementation-Version"))
                .anyMatch(line -> line.matches("netty 4\\.2\\..*"));
    }

    @Test
    void helpIsWrittenToStandardOutput() throws Exception {
        Finished help = finished("--help");

        assertThat(help.exitCode()).isZero();
        assertThat(help.err()).isEmpty();
        assertThat(help.out()).startsWith("Usage: sluice ").contains("Exit codes:");
    }

    @Test
    void servesUntilASignalComes() throws Exception {
        Path manifests = Files.writeString(folder.resolve("empty.yaml"), "kind: List\n");
        Process process =
                start(
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
            assertThat(log.readLine())
                    .contains("serving 0 Services, 0 ports; transport ", ", redirect none");
            // Process.destroy would close the log as well.
            process.toHandle().destroy();

            assertThat(log.readLine()).contains("SIGTERM: ending");
            assertThat(process.waitFor()).isZero();
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void showsItsHealthAndItsMetricsAndNamesAnAddressThatIsTaken() throws Exception {
        Path manifests = Files.writeString(folder.resolve("empty.yaml"), "kind: List\n");
        String[] run = {
            "run",
            "--manifests",
            manifests.toString(),
            "--redirect",
            "none",
            "--set",
            "health.address=none",
            "--set",
            ""
        };
        run[8] = "admin.address=127.0.0.1:0";
        Process process = start(run);
        try (BufferedReader log = process.errorReader()) {
            String line = log.readLine();
            assertThat(line).contains("health, metrics and views: http://127.0.0.1:");
            String server = line.replaceAll(".* http://(.*)/", "$1");
            assertThat(log.readLine()).contains("serving 0 Services");
            assertThat(get(server, "/readyz")).isEqualTo("ok\n");
            assertThat(get(server, "/metrics"))
                    .contains("\nsluice_connections_active 0.0\n", "\nprocess_open_fds ");
            assertThat(get(server, "/api/v1/services")).contains("\"servicePorts\":[]");

            run[8] = "admin.address=" + server;
            Finished second = finished(run);
            assertThat(second.exitCode()).isEqualTo(1);
            assertThat(second.err())
                    .contains(
                            "sluice run: sluice.admin.address = '"
                                    + server
                                    + "': can't be listened on: Address already in use");
        } finally {
            process.destroyForcibly();
        }
    }

    private static String get(String server, String path) throws IOException {
        try (InputStream body = URI.create("http://" + server + path).toURL().openStream()) {
            return new String(body.readAllBytes(), UTF_8);
        }
    }

    private record Finished(int exitCode, String out, String err) {}

    /** For little output only: it is read one stream after the other. */
    private static Finished finished(String... arguments) throws Exception {
        Process process = start(arguments);
        try {
            String out = new String(process.getInputStream().readAllBytes(), UTF_8);
            String err = new String(process.getErrorStream().readAllBytes(), UTF_8);
            return new Finished(process.waitFor(), out, err);
        } finally {
            process.destroyForcibly();
        }
    }

    private static Process start(String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-jar");
        command.add(System.getProperty("sluice.jar"));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command).start();
    }

    private Map<String, Set<String>> providers() throws IOException {
        Map<String, Set<String>> providers = new TreeMap<>();
        for (String name : names) {
            if (name.startsWith(SERVICES) && !name.endsWith("/")) {
                providers.put(
                        name.substring(SERVICES.length()),
                        lines(jar.getInputStream(jar.getEntry(name))));
            }
        }
        return providers;
    }

    private String text(String name) throws IOException {
        try (InputStream in = jar.getInputStream(jar.getEntry(name))) {
            return new String(in.readAllBytes(), UTF_8);
        }
    }

    private static List<URL> resources(String name) throws IOException {
        return Collections.list(RunnableJarIT.class.getClassLoader().getResources(name));
    }

    /** Without comments and empty lines. */
    private static Set<String> lines(InputStream stream) throws IOException {
        try (InputStream in = stream) {
            return new String(in.readAllBytes(), UTF_8)
                    .lines()
                    .map(line -> line.replaceAll("#.*", "").strip())
                    .filter(line -> !line.isEmpty())
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }
}
