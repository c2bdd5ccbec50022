package dev.sluice.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class StateDirectoryTest {
    private static final Duration LONG = Duration.ofSeconds(50);

    @TempDir private Path folder;

    @Test
    void isCreatedForItsOwnerOnly() throws IOException {
        Path directory = folder.resolve("run/sluice");
        try (StateDirectory state = StateDirectory.open(directory, Duration.ZERO)) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory)))
                    .isEqualTo("rwx------");
            assertThat(state.file("ports")).isEqualTo(directory.resolve("ports"));
        }
    }

    @Test
    void theLockFileSaysWhoHasIt() throws IOException {
        Path lock = folder.resolve("lock");
        Files.writeString(lock, "pid 1\nstarted long ago\nhost elsewhere, with a very long name\n");
        StateDirectory.open(folder, Duration.ZERO).close();

        assertThat(lock)
                .content()
                .matches(
                        "pid "
                                + ProcessHandle.current().pid()
                                + "\\nstarted 20\\S+Z\\nhost \\S+\\n");
    }

    @Test
    void aSecondCopyInTheProcessIsRefusedAndDoesNotBreakTheLock() throws Exception {
        try (StateDirectory first = StateDirectory.open(folder, Duration.ZERO)) {
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> StateDirectory.open(folder, Duration.ZERO))
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("state directory " + folder + " is in use by")
                        .hasMessageContaining("this same process (pid ");
            }
            assertThat(LockHolder.run(folder, Duration.ZERO))
                    .as("another process after that")
                    .startsWith("state directory " + folder + " is in use by pid ")
                    .contains("pid " + ProcessHandle.current().pid() + ", started 20")
                    .contains(", host ");
            assertThat(first.file("lock")).exists();
        }
        assertThat(LockHolder.run(folder, Duration.ZERO)).isEqualTo("locked");
    }

    @Test
    void aProcessThatWasKilledIsNoObstacle() throws Exception {
        Process holder = LockHolder.start(folder, Duration.ZERO);
        assertThat(LockHolder.line(holder)).isEqualTo("locked");
        assertThatThrownBy(() -> StateDirectory.open(folder, Duration.ZERO))
                .hasMessageContaining("is in use by pid " + holder.pid() + ", started ");

        holder.destroyForcibly().waitFor();

        StateDirectory.open(folder, Duration.ZERO).close();
    }

    @Test
    void waitsForTheOtherCopyToEnd() throws Exception {
        StateDirectory first = StateDirectory.open(folder, Duration.ZERO);
        CompletableFuture<StateDirectory> second = new CompletableFuture<>();
        try (CapturedLog log = new CapturedLog(StateDirectory.class)) {
            Thread waiter =
                    new Thread(
                            () -> {
                                try {
                                    second.complete(StateDirectory.open(folder, LONG));
                                } catch (IOException e) {
                                    second.completeExceptionally(e);
                                }
                            });
            waiter.start();
            await().until(() -> !log.lines().isEmpty());
            assertThat(second).isNotDone();
            first.close();

            second.get().close();
            waiter.join();
            assertThat(log.lines()).singleElement().asString().endsWith("; waiting");
        }
    }

    @Test
    void whoHasGivenItUpSeesWhoFollowsAndNotWhoOnlyTried() throws Exception {
        StateDirectory first = StateDirectory.open(folder, Duration.ZERO);
        assertThat(LockHolder.run(folder, Duration.ZERO)).isNotEqualTo("locked");
        assertThat(first.hasSuccessor()).isFalse();

        first.close();
        assertThat(first.hasSuccessor()).isFalse();
        assertThat(LockHolder.run(folder, Duration.ZERO)).isEqualTo("locked");
        assertThat(first.hasSuccessor()).isTrue();
    }

    @Test
    void aCopyThatWaitsIsSeenAsLongAsItWaits() throws Exception {
        try (StateDirectory state = StateDirectory.open(folder, Duration.ZERO)) {
            assertThat(state.isAwaited()).isFalse();
            Process waiting = LockHolder.start(folder, Duration.ofMinutes(1));

            await().until(state::isAwaited);
            waiting.destroyForcibly().waitFor();

            await().until(() -> !state.isAwaited());
        }
    }

    @Test
    void waitingEndsWhenTheThreadIsInterrupted() throws Exception {
        AtomicReference<Exception> thrown = new AtomicReference<>();
        try (StateDirectory first = StateDirectory.open(folder, Duration.ZERO)) {
            Thread waiter =
                    new Thread(
                            () -> {
                                try {
                                    StateDirectory.open(first.file("."), LONG).close();
                                } catch (IOException e) {
                                    thrown.set(e);
                                }
                            });
            waiter.start();
            waiter.interrupt();
            waiter.join();
        }
        assertThat(thrown.get()).isInstanceOf(InterruptedIOException.class);
    }

    @Test
    void aDirectoryThatCanNotBeUsedIsNamed() throws IOException {
        Path file = Files.createFile(folder.resolve("file"));

        assertThatThrownBy(() -> StateDirectory.open(file.resolve("state"), Duration.ZERO))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(
                        "state directory " + file.resolve("state") + " can not be used: ");
        assertThatThrownBy(() -> StateDirectory.open(file, Duration.ZERO))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("state directory " + file + " can not be used: ");
    }
}
