package dev.sluice.kubernetes.transport;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is known of the watches on one path of the API server. There is one at a time, but for the
 * moments in which one follows another.
 *
 * <p>Threads: any.
 */
public final class WatchHealth {
    private static final int MOST_DOUBLINGS = 20;

    private final Duration shortestPause;
    private final Duration longestPause;
    private final Object lock = new Object();
    private final Set<WatchStream> open = new LinkedHashSet<>();
    private @Nullable Long lastHeard;
    private @Nullable String failure;
    private @Nullable Refusal refusal;
    private long opened;
    private long failures;
    private int shortLived;

    private record Refusal(int status, long at) {}

    WatchHealth(Duration shortestPause, Duration longestPause) {
        this.shortestPause = shortestPause;
        this.longestPause = longestPause;
    }

    /** How many watches were opened. */
    public long opened() {
        synchronized (lock) {
            return opened;
        }
    }

    /** How many could not be opened, or broke off. */
    public long failures() {
        synchronized (lock) {
            return failures;
        }
    }

    /** Why there is no watch now; empty while there is one, or when the last one ended orderly. */
    public Optional<String> failure() {
        synchronized (lock) {
            return Optional.ofNullable(failure);
        }
    }

    /**
     * The HTTP status with which the last attempt to open a watch was refused, 100 to 599.
     *
     * @param since of the monotonic clock, in nanoseconds
     * @return empty if it was not refused, or before that time
     */
    public OptionalInt refusalSince(long since) {
        synchronized (lock) {
            return refusal == null || refusal.at - since < 0
                    ? OptionalInt.empty()
                    : OptionalInt.of(refusal.status);
        }
    }

    /** When the last frame came, in nanoseconds of the monotonic clock; empty before the first. */
    public Optional<Long> lastHeard() {
        synchronized (lock) {
            open.forEach(this::noteHeard);
            return Optional.ofNullable(lastHeard);
        }
    }

    private void noteHeard(WatchStream stream) {
        if (lastHeard == null || stream.lastHeard() - lastHeard > 0) {
            lastHeard = stream.lastHeard();
        }
    }

    void opened(WatchStream stream) {
        synchronized (lock) {
            open.add(stream);
            noteHeard(stream);
            failure = null;
            refusal = null;
            opened++;
        }
    }

    void ended(WatchStream stream, boolean soon) {
        synchronized (lock) {
            noteHeard(stream);
            open.remove(stream);
            shortLived = soon ? shortLived + 1 : 0;
        }
    }

    void failed(WatchStream stream, String reason, boolean soon) {
        synchronized (lock) {
            ended(stream, soon);
            failures++;
            if (open.isEmpty()) {
                failure = reason;
            }
        }
    }

    void notOpened(String reason) {
        synchronized (lock) {
            failures++;
            if (open.isEmpty()) {
                failure = reason;
            }
        }
    }

    void refused(String reason, int status, long at) {
        synchronized (lock) {
            notOpened(reason);
            refusal = new Refusal(status, at);
        }
    }

    /**
     * How long to wait before another watch is opened, in nanoseconds: a server that ends each one
     * at once is not to be asked without end.
     */
    long pause() {
        synchronized (lock) {
            return shortLived < 2
                    ? 0
                    : Math.min(
                            longestPause.toNanos(),
                            shortestPause.toNanos() << Math.min(shortLived - 2, MOST_DOUBLINGS));
        }
    }

    /** Those that are open although nothing came for this long. */
    List<WatchStream> silentFor(long nanos, long now) {
        synchronized (lock) {
            return open.stream().filter(stream -> now - stream.lastHeard() >= nanos).toList();
        }
    }
}
