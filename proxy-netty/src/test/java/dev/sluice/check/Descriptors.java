package dev.sluice.check;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The open network descriptors of this process: sockets, pipes and what event loops wait on.
 * Ordinary files don't count: the JVM opens class-path archives whenever it likes.
 *
 * <p>Stateless; any thread.
 */
public final class Descriptors {
    private static final Path TABLE = Path.of("/proc/self/fd");

    private Descriptors() {}

    /** Whether the kernel lists them: Linux only. */
    static boolean areListed() {
        return Files.isDirectory(TABLE);
    }

    /** Number of them now; 0 where they are not listed. */
    public static int open() {
        return targets().size();
    }

    /** What each of them is, as the kernel writes it: {@code socket:[4711]}. */
    static List<String> targets() {
        if (!areListed()) {
            return List.of();
        }
        try (Stream<Path> descriptors = Files.list(TABLE)) {
            return descriptors
                    .flatMap(descriptor -> target(descriptor).stream())
                    .filter(Descriptors::isNetwork)
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Makes the JVM open what it opens once and keeps for its own use. */
    static void warmUp() {
        try {
            SocketChannel.open().close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Optional<String> target(Path descriptor) {
        try {
            return Optional.of(Files.readSymbolicLink(descriptor).toString());
        } catch (IOException e) {
            // Closed since it was listed.
            return Optional.empty();
        }
    }

    private static boolean isNetwork(String target) {
        return target.startsWith("socket:")
                || target.startsWith("pipe:")
                || target.startsWith("anon_inode:");
    }
}
