package dev.sluice.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Runs the example as its users do: in a JVM that has the library and nothing else. */
@Timeout(60)
class EmbeddedProxyTest {
    private static final Pattern OF_TESTS =
            Pattern.compile("logback|junit|opentest4j|apiguardian|assertj|awaitility|hamcrest");

    @Test
    void servesTheEndpointsThatThereAre() throws Exception {
        Process process = start(EmbeddedProxy.class);
        try {
            String out =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

            assertThat(process.waitFor()).isZero();
            assertThat(out.lines().toList())
                    .satisfiesExactly(
                            first ->
                                    assertThat(first)
                                            .isIn(
                                                    "two endpoints: blue green",
                                                    "two endpoints: green blue"),
                            second -> assertThat(second).isEqualTo("green only: green green"),
                            third -> assertThat(third).isEqualTo("no endpoint: refused"));
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void theLibraryBringsNoCommandLineAndNoLogBinding() throws IOException {
        assertThat(libraries())
                .anyMatch(entry -> entry.contains("netty-transport"))
                .noneMatch(entry -> entry.contains("picocli"));
        try (URLClassLoader loader = new URLClassLoader(urls(), null)) {
            assertThat(loader.getResource("org/slf4j/LoggerFactory.class")).isNotNull();
            assertThat(loader.getResource("META-INF/services/org.slf4j.spi.SLF4JServiceProvider"))
                    .isNull();
        }
    }

    private static Process start(Class<?> program) throws Exception {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        String.join(File.pathSeparator, libraries()),
                        program.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static URL[] urls() throws IOException {
        List<URL> urls = new ArrayList<>();
        for (String entry : libraries()) {
            urls.add(Path.of(entry).toUri().toURL());
        }
        return urls.toArray(URL[]::new);
    }

    /** The class path of this test without what only tests have. */
    private static List<String> libraries() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(entry -> !entry.contains("test-classes"))
                .filter(entry -> !OF_TESTS.matcher(Path.of(entry).getFileName().toString()).find())
                .toList();
    }
}
