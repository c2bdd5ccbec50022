package dev.sluice.app;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;

/** The library, as an embedding application gets it. */
class ThinJarIT {
    @Test
    void hasOurClassesOnlyAndNothingThatSettlesTheLogOfAnApplication() throws IOException {
        try (JarFile jar = new JarFile(System.getProperty("sluice.thin-jar"))) {
            List<String> files =
                    jar.stream()
                            .filter(entry -> !entry.isDirectory())
                            .map(ZipEntry::getName)
                            .toList();

            assertThat(files)
                    .contains("dev/sluice/app/ServiceProxy.class")
                    .allMatch(
                            name ->
                                    name.startsWith("dev/sluice/")
                                            || name.startsWith("META-INF/maven/dev.sluice/")
                                            || name.equals("META-INF/MANIFEST.MF"));
        }
    }

    @Test
    void needsNoLibraryOfTheAdminServerWhereThatIsOff() throws Exception {
        assertThat(run("none")).isEqualTo("serving\n");
        assertThat(run("127.0.0.1:0"))
                .startsWith(
                        "sluice.admin.address is set, but the admin server's libraries are not on"
                                + " the class path (")
                .contains("netty-codec-http", "prometheus-metrics", "set it to none");
    }

    private static String run(String adminAddress) throws Exception {
        String classPath =
                Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                        .filter(part -> !part.matches(".*(prometheus-metrics|netty-codec).*"))
                        .collect(Collectors.joining(File.pathSeparator));
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-cp",
                                classPath,
                                EmbeddingProgram.class.getName(),
                                adminAddress)
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        try {
            return new String(process.getInputStream().readAllBytes(), UTF_8);
        } finally {
            process.destroyForcibly();
        }
    }
}
