package dev.sluice.kubernetes;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Decides when something that changes is worth reading: as soon as two looks in a row see the same,
 * so that half a write is rarely read, and at the latest some time after the first change, so that
 * a writer who never rests does not hide all that he wrote.
 *
 * <p>Threads: one.
 */
final class ChangeGate {
    private final long longestWait;
    private Object read;
    private Object seen;
    private @Nullable Long changedSince;

    /**
     * @param longestWait from the first look that sees a change
     * @param read what the reader has read already
     */
    ChangeGate(Duration longestWait, Object read) {
        this.longestWait = longestWait.toNanos();
        this.read = read;
        this.seen = read;
    }

    /**
     * One look.
     *
     * @param now what is there; equal values mean equal contents
     * @param nanos of a monotonic clock
     * @return whether to read now; the caller does
     */
    boolean shouldRead(Object now, long nanos) {
        boolean rests = now.equals(seen);
        seen = now;
        if (now.equals(read)) {
            changedSince = null;
            return false;
        }
        if (changedSince == null) {
            changedSince = nanos;
        }
        if (!rests && nanos - changedSince < longestWait) {
            return false;
        }
        read = now;
        changedSince = null;
        return true;
    }
}
