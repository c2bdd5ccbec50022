package dev.sluice.state;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLockInterruptionException;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A directory that belongs to one copy of the proxy as long as this is open. The kernel holds the
 * lock, so it ends with the process however that ends; the files stay.
 *
 * <p>Threads: any one thread at a time.
 */
public final class StateDirectory implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(StateDirectory.class);
    private static final String LOCK = "lock";
    private static final Duration POLL = Duration.ofMillis(100);

    /** Written by a copy that waits, each time it has looked. */
    private static final String WAITING = "waiting";

    /** A copy that has not looked for so long waits no more. */
    private static final Duration WAITING_LIMIT = Duration.ofSeconds(1);

    private static final int LONGEST_HOLDER = 300;
    private static final Path HOST_NAME = Path.of("/proc/sys/kernel/hostname");

    private final Path directory;
    private final List<FileChannel> channels;
    private final FileTime lockedAt;

    private StateDirectory(Path directory, List<FileChannel> channels) throws IOException {
        this.directory = directory;
        this.channels = channels;
        this.lockedAt = lastLocked(directory);
    }

    private static FileTime lastLocked(Path directory) throws IOException {
        return Files.getLastModifiedTime(directory.resolve(LOCK));
    }

    /**
     * Creates the directory if need be, readable by its owner only, and takes its lock.
     *
     * @param takeoverWait how long to wait for another copy to end
     * @throws IOException if another copy still holds the lock, which the message names, or if the
     *     directory can not be used; {@link InterruptedIOException} if the thread was interrupted
     */
    public static StateDirectory open(Path directory, Duration takeoverWait) throws IOException {
        try {
            if (!Files.isDirectory(directory)) {
                Files.createDirectories(
                        directory,
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rwx------")));
            }
            return lock(directory, takeoverWait);
        } catch (ClosedByInterruptException | FileLockInterruptionException e) {
            throw interrupted(directory);
        } catch (FileSystemException e) {
            String reason = e.getReason() == null ? e.getClass().getSimpleName() : e.getReason();
            throw new IOException(
                    "state directory "
                            + directory
                            + " can not be used: "
                            + e.getFile()
                            + ": "
                            + reason,
                    e);
        }
    }

    /** A file of this directory. */
    public Path file(String name) {
        return directory.resolve(name);
    }

    /** Whether another copy waits for this one to close. Any thread. */
    public boolean isAwaited() {
        try {
            Instant looked = Files.getLastModifiedTime(directory.resolve(WAITING)).toInstant();
            return looked.isAfter(Instant.now().minus(WAITING_LIMIT));
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * After the close: whether another copy has taken the lock since. Any thread.
     *
     * <p>By the time of the last write: to open the file would cost this process a lock that a
     * second copy within it holds.
     */
    public boolean hasSuccessor() {
        try {
            return !lastLocked(directory).equals(lockedAt);
        } catch (IOException e) {
            return false;
        }
    }

    /** Gives the lock up; closing again does nothing. */
    @Override
    public void close() {
        close(directory, channels);
    }

    private static void close(Path directory, List<FileChannel> channels) {
        for (FileChannel channel : channels) {
            try {
                channel.close();
            } catch (IOException e) {
                log.warn("state directory {}: closing its lock failed", directory, e);
            }
        }
    }

    private static StateDirectory lock(Path directory, Duration takeoverWait) throws IOException {
        long start = System.nanoTime();
        boolean waiting = false;
        while (true) {
            List<FileChannel> channels = new ArrayList<>();
            String holder = tryLock(directory, channels);
            if (holder.isEmpty()) {
                // Whoever else waits writes it again.
                Files.deleteIfExists(directory.resolve(WAITING));
                return new StateDirectory(directory, channels);
            }
            close(directory, channels);
            if (System.nanoTime() - start >= takeoverWait.toNanos()) {
                throw new IOException(
                        "state directory "
                                + directory
                                + " is in use by "
                                + holder
                                + (takeoverWait.isZero()
                                        ? ""
                                        : ", and still was after "
                                                + takeoverWait.toMillis()
                                                + " ms"));
            }
            if (!waiting) {
                log.info("state directory {} is in use by {}; waiting", directory, holder);
                waiting = true;
            }
            Files.writeString(directory.resolve(WAITING), self() + "\n");
            pause(directory);
        }
    }

    /**
     * Takes the lock with channels that are added to the list.
     *
     * @return who holds the lock; empty if it is ours now
     */
    private static String tryLock(Path directory, List<FileChannel> channels) throws IOException {
        // A POSIX lock belongs to the process and is lost when the process closes any descriptor of
        // the file, so a second copy within this JVM must not even open it. The JVM-wide check of
        // overlaps on a file of its own finds that copy first; a shared lock keeps no other process
        // out.
        FileChannel guard = channel(directory.resolve("lock.jvm"), channels);
        try {
            guard.tryLock(0, Long.MAX_VALUE, true);
        } catch (OverlappingFileLockException e) {
            return "this same process (" + self().replace("\n", ", ") + ")";
        }
        FileChannel channel = channel(directory.resolve(LOCK), channels);
        if (channel.tryLock() == null) {
            return holder(channel);
        }
        channel.truncate(0);
        channel.write(ByteBuffer.wrap((self() + "\n").getBytes(StandardCharsets.UTF_8)));
        return "";
    }

    private static FileChannel channel(Path file, List<FileChannel> channels) throws IOException {
        FileChannel channel =
                FileChannel.open(
                        file,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE);
        channels.add(channel);
        return channel;
    }

    private static String holder(FileChannel channel) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(LONGEST_HOLDER);
        channel.read(buffer, 0);
        String text = StandardCharsets.UTF_8.decode(buffer.flip()).toString().strip();
        return text.isEmpty()
                ? "another process"
                : text.replaceAll("\\R", ", ").replaceAll("\\p{Cntrl}", "?");
    }

    private static String self() {
        ProcessHandle self = ProcessHandle.current();
        String started = self.info().startInstant().map(Instant::toString).orElse("unknown");
        return "pid " + self.pid() + "\nstarted " + started + "\nhost " + hostName();
    }

    /** From the kernel: {@code InetAddress.getLocalHost} may ask DNS, and wait for it. */
    private static String hostName() {
        try {
            return Files.readString(HOST_NAME).strip();
        } catch (IOException e) {
            return "unknown";
        }
    }

    /** A POSIX lock can't be waited for with a time limit. */
    private static void pause(Path directory) throws InterruptedIOException {
        try {
            Thread.sleep(POLL.toMillis());
        } catch (InterruptedException e) {
            throw interrupted(directory);
        }
    }

    private static InterruptedIOException interrupted(Path directory) {
        Thread.currentThread().interrupt();
        return new InterruptedIOException(
                "interrupted while waiting for state directory " + directory);
    }
}
