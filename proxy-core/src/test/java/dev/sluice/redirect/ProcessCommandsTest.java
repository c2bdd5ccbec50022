package dev.sluice.redirect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ProcessCommandsTest {
    private static final ProcessCommands COMMANDS =
            new ProcessCommands(List.of(), Duration.ofSeconds(60));

    @Test
    void outputErrorsAndExitCodeComeBack() throws RedirectException {
        assertThat(run("cat; echo bad >&2; exit 3", "text\n"))
                .isEqualTo(new Commands.Result(3, "text\n", "bad\n"));
    }

    @Test
    void moreThanAPipeHoldsPassesInAllDirections() throws RedirectException {
        String megabyte = "0123456789abcdef".repeat(1 << 16);

        Commands.Result result = run("tee /dev/stderr", megabyte);

        assertThat(result.output()).isEqualTo(megabyte);
        assertThat(result.errors()).isEqualTo(megabyte);
    }

    @Test
    void linesAreToldOneByOneAndNotHeld() throws RedirectException {
        AtomicLong count = new AtomicLong();
        AtomicLong bytes = new AtomicLong();

        Commands.Result result =
                COMMANDS.lines(
                        List.of("sh", "-c", "yes 0123456789abcdef | head -n 1000000; exit 3"),
                        line -> {
                            count.incrementAndGet();
                            bytes.addAndGet(line.length());
                        });

        assertThat(result).isEqualTo(new Commands.Result(3, "", ""));
        assertThat(count).hasValue(1_000_000);
        assertThat(bytes).hasValue(16_000_000);
    }

    @Test
    void aProgramThatDoesNotReadItsInputIsNoError() throws RedirectException {
        assertThat(run("exec <&-; exit 0", "x".repeat(1 << 20)).exitCode()).isZero();
    }

    @Test
    void theLocaleIsC() throws RedirectException {
        assertThat(run("echo $LC_ALL", "").output()).isEqualTo("C\n");
    }

    /**
     * The shell itself opens the folder while it lists it: that one is gone when it is looked at.
     */
    @Test
    void onlyStandardDescriptorsAreInherited() throws RedirectException {
        assertThat(
                        run("for fd in /proc/$$/fd/*; do [ -e $fd ] && echo ${fd##*/}; done", "")
                                .output()
                                .lines())
                .containsExactlyInAnyOrder("0", "1", "2");
    }

    @Test
    void aPrefixStandsBeforeTheCommand() throws RedirectException {
        Commands commands =
                new ProcessCommands(List.of("env", "LC_ALL=POSIX"), Duration.ofSeconds(60));

        assertThat(commands.run(List.of("sh", "-c", "echo $LC_ALL"), "").output())
                .isEqualTo("POSIX\n");
    }

    @Test
    void aProgramThatDoesNotEndIsKilled() {
        Commands commands = new ProcessCommands(List.of(), Duration.ofMillis(100));

        assertThatThrownBy(() -> commands.run(List.of("sleep", "600"), ""))
                .isInstanceOf(RedirectException.class)
                .hasMessage("sleep 600 did not end within 100 ms: killed");
        // The kernel delivers the signal when it likes.
        await().untilAsserted(
                        () ->
                                assertThat(ProcessHandle.current().children())
                                        .filteredOn(ProcessHandle::isAlive)
                                        .noneMatch(
                                                child ->
                                                        child.info()
                                                                .commandLine()
                                                                .orElse("")
                                                                .contains("sleep 600")));
    }

    @Test
    void aMissingProgramIsNamed() {
        assertThatThrownBy(() -> COMMANDS.run(List.of("/nonexistent/iptables-save"), ""))
                .isInstanceOf(RedirectException.class)
                .hasMessageContaining("/nonexistent/iptables-save could not be started");
    }

    private static Commands.Result run(String script, String input) throws RedirectException {
        return COMMANDS.run(List.of("sh", "-c", script), input);
    }
}
