package dev.sluice.kubernetes.transport;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What is known of the watches on one path of the API server.
 *
 * <p>Threads: any.
 */
public final class WatchHealth {
    /** A watch that ends sooner than this, and the one after it as well, is no watch. */
    private static final long SHORT_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final int MOST_DOUBLINGS = 20;

    private final Duration shortestPause;
    private final Duration longestPause;
    private final Object lock = new Object();
    private @Nullable WatchStream stream;
    private @Nullable Long lastHeard;
    private @Nullable String failure;
    private int refusal;
    private long opened;
    private long failures;
    private long openedAt;
    private int shortLived;

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
     * The HTTP status with which the last attempt to open a watch was refused, 100 to 599; empty if
     * it was not.
     */
    public OptionalInt refusal() {
        synchronized (lock) {
            return refusal == 0 ? OptionalInt.empty() : OptionalInt.of(refusal);
        }
    }

    /**
     * When the last frame came, in the nanoseconds of the monotonic clock; empty before the first.
     */
    public Optional<Long> lastHeard() {
        synchronized (lock) {
            return Optional.ofNullable(lastHeard);
        }
    }

    void opened(WatchStream next, long now) {
        synchronized (lock) {
            stream = next;
            lastHeard = now;
            failure = null;
            refusal = 0;
            opened++;
            openedAt = now;
        }
    }

    void heard(long now) {
        synchronized (lock) {
            lastHeard = now;
        }
    }

    void ended(WatchStream which, long now) {
        synchronized (lock) {
            if (stream == which) {
                stream = null;
                countIfShort(now);
            }
        }
    }

    void failed(WatchStream which, String reason, long now) {
        synchronized (lock) {
            if (stream == which) {
                stream = null;
                failure = reason;
                countIfShort(now);
            }
            failures++;
        }
    }

    private void countIfShort(long now) {
        shortLived = now - openedAt < SHORT_NANOS ? shortLived + 1 : 0;
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

    void notOpened(String reason, int status) {
        synchronized (lock) {
            failure = reason;
            refusal = status;
            failures++;
        }
    }

    /** The stream that is open although nothing came for this long. */
    Optional<WatchStream> silentFor(long nanos, long now) {
        synchronized (lock) {
            return stream != null && lastHeard != null && now - lastHeard >= nanos
                    ? Optional.of(stream)
                    : Optional.empty();
        }
    }
}
