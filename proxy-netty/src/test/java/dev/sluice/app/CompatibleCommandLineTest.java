package dev.sluice.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
