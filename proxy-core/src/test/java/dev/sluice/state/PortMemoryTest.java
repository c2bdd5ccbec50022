package dev.sluice.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.model.Protocol;
import dev.sluice.model.ServicePortName;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PortMemoryTest {
    private static final ServicePortName HTTP =
            ServicePortName.of("default", "web", "http", Protocol.TCP);
    private static final ServicePortName DNS =
            ServicePortName.of("kube-system", "dns", "", Protocol.UDP);

    @TempDir private Path folder;
    private Path file = Path.of("");

    @BeforeEach
    void nameFile() {
        file = folder.resolve("ports");
    }

    @Test
    void whatIsRememberedIsThereAfterARestart() throws IOException {
        try (PortMemory memory = PortMemory.at(file)) {
            memory.remember(HTTP, 12_345);
            memory.remember(DNS, 54_321);
        }

        assertThat(file)
                .content()
                .endsWith("\ndefault/web:http/tcp 12345\nkube-system/dns/udp 54321\n");
        try (PortMemory memory = PortMemory.at(file)) {
            assertThat(memory.port(HTTP)).hasValue(12_345);
            assertThat(memory.port(DNS)).hasValue(54_321);
            assertThat(memory.owner(54_321)).isEqualTo(DNS);
        }
    }

    @Test
    void aChangeIsWrittenWithoutBeingAskedFor() {
        try (PortMemory memory = PortMemory.at(file)) {
            memory.remember(HTTP, 12_345);

            await().untilAsserted(
                            () ->
                                    assertThat(file)
                                            .content()
                                            .contains("default/web:http/tcp 12345"));
            memory.remember(DNS, 54_321);
            await().untilAsserted(
                            () -> assertThat(file).content().contains("kube-system/dns/udp 54321"));
        }
    }

    @Test
    void aPortBelongsToOneServicePort() {
        try (PortMemory memory = PortMemory.inMemory()) {
            memory.remember(HTTP, 12_345);
            memory.remember(DNS, 12_345);
            memory.remember(DNS, 12_346);

            assertThat(memory.port(HTTP)).isEmpty();
            assertThat(memory.port(DNS)).hasValue(12_346);
            assertThat(memory.owner(12_345)).isNull();
        }
    }

    @Test
    void trimForgetsTheLongestUnusedButNothingPresent() {
        try (PortMemory memory = PortMemory.inMemory()) {
            memory.remember(HTTP, 1);
            memory.remember(DNS, 2);
            ServicePortName late = ServicePortName.of("default", "late", "", Protocol.TCP);
            memory.remember(late, 3);

            memory.trim(1, Set.of(HTTP));

            assertThat(memory.port(HTTP)).hasValue(1);
            assertThat(memory.port(DNS)).isEmpty();
            assertThat(memory.owner(2)).isNull();
            assertThat(memory.port(late)).hasValue(3);
        }
    }

    @Test
    void aBadLineIsNamedAndLeftOut() throws IOException {
        Files.writeString(
                file,
                """
                # comment

                default/web:http/tcp 12345
                default/web:http/tcp 12346
                default/again/tcp 12345
                default/zero/tcp 0
                default/high/tcp 65536
                default/word/tcp http
                web/tcp 12347
                default/web/icmp 12348
                default/we\u0007b tcp
                kube-system/dns/udp 54321
                """);
        try (CapturedLog log = new CapturedLog(PortFile.class);
                PortMemory memory = PortMemory.at(file)) {
            assertThat(log.lines()).hasSize(8).allMatch(line -> line.startsWith("WARN " + file));
            assertThat(log.lines().get(0))
                    .contains(file + ":4: 'default/web:http/tcp 12346' is left out: must be");
            assertThat(log.lines().get(7)).contains("'default/we?b tcp'");
            assertThat(memory.port(HTTP)).hasValue(12_345);
            assertThat(memory.port(DNS)).hasValue(54_321);
            assertThat(memory.owner(12_346)).isNull();
        }
    }

    @Test
    void aFileOfSomethingElseDoesNotFloodTheLog() throws IOException {
        Files.write(file, "\u0000\ufffd junk\n".repeat(5_000).getBytes(StandardCharsets.UTF_16));
        try (CapturedLog log = new CapturedLog(PortFile.class);
                PortMemory memory = PortMemory.at(file)) {
            assertThat(log.lines()).hasSize(11);
            assertThat(memory.port(HTTP)).isEmpty();
        }
    }

    @Test
    void aFailedWriteIsNamedOnceAndDoneLater() throws IOException {
        Path obstacle = Files.createDirectories(file.resolve("full"));
        try (CapturedLog log = new CapturedLog(PortMemory.class);
                PortMemory memory = PortMemory.at(file)) {
            memory.remember(HTTP, 12_345);
            await().untilAsserted(() -> assertThat(log.lines()).hasSize(1));
            assertThat(log.lines().get(0)).startsWith("WARN " + file + " can not be written: ");
            Files.delete(obstacle);
            Files.delete(file);
        }
        assertThat(file).content().contains("default/web:http/tcp 12345");
        assertThat(folder.toFile().list()).containsExactly("ports");
    }
}
