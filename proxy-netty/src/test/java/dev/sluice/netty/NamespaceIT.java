package dev.sluice.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs {@link NamespaceScenarios}, each in a network namespace of its own. */
@Timeout(120)
final class NamespaceIT {
    private final String namespace = "sluice-path" + ProcessHandle.current().pid();

    @BeforeEach
    void addNamespace() throws Exception {
        assumeTrue(
                Files.isWritable(Path.of("/run"))
                        && EpollTransport.isAvailable()
                        && Stream.of("/usr/sbin/ip", "/sbin/ip", "/usr/bin/ip")
                                .anyMatch(ip -> Files.isExecutable(Path.of(ip)))
                        && Stream.of("/usr/sbin/iptables", "/sbin/iptables", "/usr/bin/iptables")
                                .anyMatch(program -> Files.isExecutable(Path.of(program))),
                "not root, or no ip, iptables or epoll: peers that vanish and a lack of local ports"
                        + " are not tested");
        assertSucceeds(List.of("ip", "netns", "add", namespace));
        assertSucceeds(List.of("ip", "netns", "exec", namespace, "ip", "link", "set", "lo", "up"));
    }

    @AfterEach
    void removeNamespace() throws Exception {
        if (Files.exists(Path.of("/run/netns", namespace))) {
            assertSucceeds(List.of("ip", "netns", "delete", namespace));
        }
    }

    private static void assertSucceeds(List<String> command)
            throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"deadServer", "deadClient", "noLocalPort", "noLocalPortForSessions"})
    void scenario(String name) throws Exception {
        List<String> command = new ArrayList<>(List.of("ip", "netns", "exec", namespace));
        command.addAll(
                List.of(
                        System.getProperty("java.home") + "/bin/java",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        NamespaceScenarios.class.getName(),
                        name));
        assertSucceeds(command);
    }
}
