package dev.sluice.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.state.StateDirectory;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class MainTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"--help", "run --help", "cleanup -h", "version --help"})
    void helpTellsUsageAndExitCodes(String arguments) {
        assertThat(run(arguments.split(" ", -1))).isZero();
        assertThat(out.toString())
                .startsWith("Usage: sluice ")
                .contains("Exit codes:", "3  ", "invalid setting", "--verbose");
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void helpOfRunHasExamplesAndEveryFlag() {
        run("run", "--help");

        assertThat(out.toString())
                .contains("Examples:", "--manifests=PATH", "--config=FILE", "--set=KEY=VALUE")
                .contains("--redirect=iptables|none", "sluice run --manifests services.yaml");
    }

    @ParameterizedTest
    @ValueSource(strings = {"version", "--version", "run --version"})
    void versionNamesAllThatABugReportNeeds(String arguments) {
        assertThat(run(arguments.split(" ", -1))).isZero();
        assertThat(out.toString().lines())
                .hasSize(4)
                .anyMatch(line -> line.startsWith("sluice "))
                .anyMatch(line -> line.startsWith("java " + Runtime.version().feature() + "."))
                .anyMatch(line -> line.startsWith("os " + System.getProperty("os.name")))
                .anyMatch(line -> line.matches("netty 4\\.2\\..*"));
    }

    @Test
    void withoutACommandTheOnesThereAreAreNamed() {
        assertThat(run()).isEqualTo(2);
        assertThat(errorLine())
                .isEqualTo(
                        "sluice: Missing command: run, demo, cleanup or version (see 'sluice --help')");
    }

    @ParameterizedTest
    @ValueSource(strings = {"walk", "run --manifest x", "run x", "cleanup --config", "version 1"})
    void wrongUseIsOneLineAndExitCode2(String arguments) {
        assertThat(run(arguments.split(" ", -1))).isEqualTo(2);
        assertThat(errorLine()).startsWith("sluice").contains(" --help')");
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void runWithoutASourceNamesTheFlags() {
        assertThat(run("run")).isEqualTo(3);
        assertThat(errorLine())
                .startsWith("sluice run: there is nothing to serve")
                .contains("--manifests", "--kubeconfig");
    }

    @Test
    void twoSourcesAreOneTooMany() {
        assertThat(run("run", "--manifests", folder.toString(), "--kubeconfig", "x")).isEqualTo(3);
        assertThat(errorLine())
                .contains("sluice.manifests", "sluice.kubernetes", "set one of them");
    }

    @Test
    void inAPodTheApiServerMustBeNamedWhereClusterIpsAreRedirected() {
        Map<String, String> pod = Map.of("KUBERNETES_SERVICE_HOST", "10.96.0.1");

        assertThat(commandLine(pod).execute("run")).isEqualTo(3);
        assertThat(errorLine())
                .contains("https://10.96.0.1:443", "a ClusterIP", "sluice.kubernetes.api-server");
    }

    @Test
    void aKubeconfigThatIsMissingIsOneLine() {
        assertThat(run("run", "--kubeconfig", folder.resolve("none").toString())).isEqualTo(3);
        assertThat(errorLine())
                .startsWith("sluice run: sluice.kubernetes.kubeconfig")
                .contains("cannot be read");
    }

    @Test
    void anInvalidSettingIsOneLineAndExitCode3() throws IOException {
        Path file = Files.writeString(folder.resolve("s.conf"), "sluice.dial.total-timeout = 4");

        assertThat(run("run", "--config", file.toString())).isEqualTo(3);
        assertThat(errorLine())
                .isEqualTo(
                        "sluice run: sluice.dial.total-timeout = '4': must be a duration with its"
                                + " unit from 1ms to 5m ("
                                + file
                                + ":1)");
    }

    @Test
    void namedFlagsAreCheckedAsTheirKeys() {
        assertThat(run("run", "--redirect", "ipvs", "--manifests", "x")).isEqualTo(3);
        assertThat(errorLine())
                .isEqualTo(
                        "sluice run: sluice.redirect.mode = 'ipvs': must be one of iptables, none"
                                + " (--redirect)");
    }

    @Test
    void settingsOfTheCommandLineAreRead() {
        assertThat(run("run", "--set", "dial.retry-pause=0s", "--set", "shutdown.drain=1s"))
                .isEqualTo(3);
        assertThat(errorLine()).contains("sluice.dial.retry-pause = '0s'").endsWith("(--set)");
    }

    @Test
    void settingsOfTheEnvironmentAreRead() {
        CommandLine commandLine = commandLine(Map.of("SLUICE_DIAL_RETRY", "1s"));

        assertThat(commandLine.execute("cleanup")).isEqualTo(3);
        assertThat(errorLine())
                .isEqualTo(
                        "sluice cleanup: environment variable SLUICE_DIAL_RETRY: there is no key of"
                                + " this name");
    }

    @Test
    void cleanupIsRefusedWhileACopyRunsUnlessForced() throws IOException {
        String[] command = {"cleanup", "--redirect", "none", "--set", "state.directory=" + folder};
        try (StateDirectory running = StateDirectory.open(folder, Duration.ZERO)) {
            assertThat(running.file("lock")).exists();
            assertThat(run(command)).isEqualTo(1);
            assertThat(errorLine())
                    .startsWith("sluice cleanup: state directory " + folder + " is in use by")
                    .contains("pid " + ProcessHandle.current().pid())
                    .endsWith("; stop it first, or remove its rules with --force");
            assertThat(out.toString()).isEmpty();

            command[0] = "cleanup";
            assertThat(run("cleanup", "--force", command[1], command[2], command[3], command[4]))
                    .isZero();
            assertThat(out.toString()).contains("removed");
        }
        assertThat(run(command)).isZero();
    }

    @Test
    void cleanupLeavesNoStateDirectoryBehind() {
        Path missing = folder.resolve("missing");

        assertThat(run("cleanup", "--redirect", "none", "--set", "state.directory=" + missing))
                .isZero();
        assertThat(missing).doesNotExist();
    }

    @Test
    void onlyVerboseShowsTheStackTrace() {
        assertThat(run("run", "-v")).isEqualTo(3);
        assertThat(err.toString())
                .startsWith("sluice run: there is nothing to serve")
                .contains("\tat dev.sluice.app.RunCommand");
    }

    private String errorLine() {
        assertThat(err.toString().lines()).as(err.toString()).hasSize(1);
        return err.toString().stripTrailing();
    }

    private int run(String... arguments) {
        return commandLine(Map.of()).execute(arguments);
    }

    private CommandLine commandLine(Map<String, String> environment) {
        return Main.commandLine(environment)
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true));
    }
}
