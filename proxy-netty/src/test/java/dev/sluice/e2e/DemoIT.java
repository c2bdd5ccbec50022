package dev.sluice.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.redirect.Namespace;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code sluice demo --once} as a newcomer runs it, in a network namespace of its own. */
@Timeout(60)
final class DemoIT {
    private @Nullable Namespace made;

    @BeforeEach
    void makeNamespace() throws Exception {
        assumeTrue(
                System.getProperty("sluice.jar") != null,
                "system property sluice.jar is not set, as ./mvnw verify does: the demo is not"
                        + " tested");
        made = Namespace.create("demo");
        namespace().ip("link set lo up");
        namespace().ip("addr add 203.0.113.1/32 dev lo");
        namespace().ip("route add default dev lo src 203.0.113.1");
    }

    @AfterEach
    void removeNamespace() throws Exception {
        if (made != null) {
            made.close();
        }
    }

    private Namespace namespace() {
        return Objects.requireNonNull(made);
    }

    @Test
    void withIptablesItGoesThroughAClusterIpAndLeavesNoRule() throws Exception {
        String before = namespace().ruleset();

        String output = demo(List.of());

        assertThat(output)
                .contains("redirected to the proxy by iptables")
                .endsWith("demo: ok, 26 requests, 0 failed\n");
        assertThat(namespace().ruleset()).isEqualTo(before);
    }

    @Test
    void withoutRightsItGoesThroughTheListener() throws Exception {
        assertThat(demo(List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")))
                .contains("Not through a ClusterIP: ")
                .endsWith("demo: ok, 26 requests, 0 failed\n");
    }

    private String demo(List<String> wrapper) throws Exception {
        List<String> command = new ArrayList<>(List.of("ip", "netns", "exec", namespace().name()));
        command.addAll(wrapper);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-jar", System.getProperty("sluice.jar", ""), "demo", "--once"));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(output).isZero();
        return output;
    }
}
