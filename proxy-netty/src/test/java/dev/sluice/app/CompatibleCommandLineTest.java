package dev.sluice.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.state.StateDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Command lines that were made for kube-proxy. */
class CompatibleCommandLineTest {
    @TempDir private Path folder;

    @Test
    void withoutACommandTheFlagsOfADaemonSetRun() {
        Path file = folder.resolve("sluice.conf");

        int code =
                Main.execute(
                        Map.of(),
                        "--hostname-override=Node-7",
                        "--cluster-cidr=10.244.0.0/16",
                        "--iptables-min-sync-period=2s",
                        "--v=2",
                        "--write-config-to=" + file);

        assertThat(code).isZero();
        assertThat(file).content().contains("name=node-7", "cluster-cidr", "2000ms");
    }

    @Test
    void ownFlagsWinOverThoseOfKubeProxy() {
        Path file = folder.resolve("sluice.conf");

        Main.execute(
                Map.of(),
                "run",
                "--set",
                "node.name=own",
                "--hostname-override=other",
                "--write-config-to",
                file.toString());

        assertThat(file).content().contains("name=own");
    }

    @Test
    void whatLooksLikeACommandMayBeAValue() {
        Path file = folder.resolve("sluice.conf");

        assertThat(Main.execute(Map.of(), "--manifests", "demo", "--write-config-to=" + file))
                .isZero();
        assertThat(file).content().contains("manifests=demo");
    }

    /** It would never end if it were taken for the proxy itself. */
    @ParameterizedTest
    @ValueSource(strings = {"--init-only", "--init-only=true", "run --init-only"})
    @Timeout(30)
    void preparationsEnd(String arguments) {
        List<String> all = new ArrayList<>(List.of(arguments.split(" ", -1)));
        all.addAll(List.of("--manifests", folder.toString(), "--redirect", "none"));

        assertThat(Main.execute(Map.of(), all.toArray(String[]::new))).isZero();
        assertThat(Main.execute(Map.of(), "--init-only", "--set", "udp.max-sessions=-1"))
                .isEqualTo(ExitCodes.INVALID_CONFIG);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--cleanup", "--cleanup=true", "run --cleanup --hostname-override=a"})
    void cleanupWaitsForNobodyAndTakesNoStateAway(String arguments) throws IOException {
        List<String> all = new ArrayList<>(List.of(arguments.split(" ", -1)));
        all.addAll(List.of("--redirect", "none", "--set", "state.directory=" + folder));
        String[] line = all.toArray(String[]::new);

        try (StateDirectory running = StateDirectory.open(folder, Duration.ZERO)) {
            assertThat(running.file("lock")).exists();
            assertThat(Main.execute(Map.of(), line)).isEqualTo(ExitCodes.FAILED);
        }
        assertThat(Main.execute(Map.of(), line)).isZero();
    }

    @Test
    void aFileThatCannotBeWrittenFailsAndLeavesNothing() throws IOException {
        Path missing = folder.resolve("missing/sluice.conf");

        assertThat(Main.execute(Map.of(), "--write-config-to=" + missing))
                .isEqualTo(ExitCodes.FAILED);
        Files.createFile(folder.resolve("a"));
        assertThat(Main.execute(Map.of(), "--write-config-to=" + folder))
                .isEqualTo(ExitCodes.FAILED);
        assertThat(folder.resolveSibling(folder.getFileName() + ".new")).doesNotExist();
    }

    @Test
    void aWrongFlagIsAnInvalidSetting() {
        assertThat(Main.execute(Map.of(), "--detect-local-mode=pods"))
                .isEqualTo(ExitCodes.INVALID_CONFIG);
        assertThat(Main.execute(Map.of(), "--config=" + folder.resolve("none")))
                .isEqualTo(ExitCodes.INVALID_CONFIG);
    }

    @Test
    void aWrongFlagOfNobodyIsWrongUse() {
        assertThat(Main.execute(Map.of(), "--hostname-overwrite=x")).isEqualTo(ExitCodes.USAGE);
        assertThat(Main.execute(Map.of())).isEqualTo(ExitCodes.USAGE);
        assertThat(Main.execute(Map.of(), "--help")).isZero();
    }
}
