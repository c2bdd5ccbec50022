package dev.sluice.netty;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A RST that waits for the bytes before it. Closing with a RST throws away what the kernel has not
 * delivered yet, so it waits until the peer has acknowledged everything, or until nothing has moved
 * for {@link #PATIENCE_NANOS}.
 *
 * <p>Threads: the connection's event loop only.
 */
final class PendingReset {
    /** How long bytes that do not move are waited for, ns. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The same where nobody tells whether they have arrived, ns. */
    private static final long BLIND_PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /**
     * When it is looked whether all bytes have arrived, ms: soon at first, since most have, and
     * then ever more seldom, since all flows of a pod that crashed may be waiting.
     */
    private static final long FIRST_CHECK_MILLIS = 5;

    private static final long LONGEST_CHECK_MILLIS = 80;

    private final StreamSocket dead;
    private final StreamSocket survivor;
    private final Relay last;
    private @Nullable Future<?> nextCheck;
    private long checkMillis = FIRST_CHECK_MILLIS;
    private long outstanding = Long.MAX_VALUE;
    private long lastProgress = System.nanoTime();

    /**
     * @param dead the leg that was reset
     * @param survivor the leg that shall be
     * @param last moves what the dead leg sent to the survivor
     */
    PendingReset(StreamSocket dead, StreamSocket survivor, Relay last) {
        this.dead = dead;
        this.survivor = survivor;
        this.last = last;
    }

    /** Moves what is left, and says whether the survivor has all of it, or will never have. */
    boolean isDue(long now) {
        last.pump();
        if (survivor.failed() || (last.isOver() && !last.isFinished())) {
            return true;
        }
        dead.interest(last.wantsInput() ? StreamSocket.READ : 0);
        survivor.interest(last.isBlocked() ? StreamSocket.WRITE : 0);
        TcpInfo info = survivor.tcpInfo();
        if (info == null) {
            return (last.isDrained() && now - last.lastMoved() >= BLIND_PATIENCE_NANOS)
                    || isStuck(now);
        }
        if (info.outstanding() < outstanding) {
            lastProgress = now;
        }
        outstanding = info.outstanding();
        return (last.isDrained() && outstanding == 0) || isStuck(now);
    }

    /** Sees to it that somebody looks again, unless that is arranged already. */
    void checkLater(EventExecutor loop, Runnable check) {
        if (nextCheck == null) {
            nextCheck =
                    loop.schedule(
                            () -> {
                                nextCheck = null;
                                check.run();
                            },
                            checkMillis,
                            TimeUnit.MILLISECONDS);
            checkMillis = Math.min(2 * checkMillis, LONGEST_CHECK_MILLIS);
        }
    }

    /** Nobody looks again. */
    void cancel() {
        if (nextCheck != null) {
            nextCheck.cancel(false);
        }
    }

    private boolean isStuck(long now) {
        return now - Math.max(lastProgress, last.lastMoved()) >= PATIENCE_NANOS;
    }
}
