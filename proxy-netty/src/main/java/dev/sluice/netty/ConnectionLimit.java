package dev.sluice.netty;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * How many connections there are, and how many there may be.
 *
 * <p>Threads: any.
 */
final class ConnectionLimit {
    /** What a JVM that can't be asked may hold, by the usual soft limit. */
    private static final long USUAL_DESCRIPTOR_LIMIT = 1024;

    private final OptionalInt configured;
    private final long descriptors;
    private final AtomicInteger active = new AtomicInteger();
    private final AtomicInteger sessions = new AtomicInteger();
    private volatile int carried;
    private volatile int max;

    /**
     * @param configured most connections at once, at least 1; empty: as many as the descriptors
     *     carry
     * @param descriptors most descriptors that the process may hold
     */
    ConnectionLimit(OptionalInt configured, long descriptors) {
        this.configured = configured;
        this.descriptors = descriptors;
        listeners(0);
    }

    /**
     * By what this process may hold.
     *
     * @param configured as in the constructor
     */
    static ConnectionLimit ofThisProcess(OptionalInt configured) {
        long descriptors =
                ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean os
                        ? os.getMaxFileDescriptorCount()
                        : USUAL_DESCRIPTOR_LIMIT;
        return new ConnectionLimit(configured, descriptors);
    }

    /**
     * Takes the number of listeners into account. A connection has two descriptors; a tenth of all,
     * 128 at least, stays free, so that starting a program that writes rules never fails for want
     * of one.
     */
    void listeners(int count) {
        long reserve = Math.max(128, descriptors / 10);
        carried =
                (int) Math.min(Integer.MAX_VALUE, Math.max(1, (descriptors - count - reserve) / 2));
        max = Math.min(carried, configured.orElse(carried));
    }

    /**
     * Most UDP sessions at once; one has one descriptor.
     *
     * @param wanted at least 1; empty: a quarter of the descriptors
     */
    int maxSessions(OptionalInt wanted) {
        int quarter = (int) Math.min(Integer.MAX_VALUE, Math.max(1, descriptors / 4));
        return (int) Math.min(wanted.orElse(quarter), Math.min(Integer.MAX_VALUE, 2L * carried));
    }

    /** Counts one UDP session in; false if there is no descriptor for it. */
    boolean tryAcquireSession() {
        if (sessions.incrementAndGet() + 2L * active.get() > 2L * carried) {
            sessions.decrementAndGet();
            return false;
        }
        return true;
    }

    /** Counts one UDP session out. */
    void releaseSession() {
        sessions.decrementAndGet();
    }

    /** Counts one connection in; false, and not counted, if there are as many as there may be. */
    boolean tryAcquire() {
        if (active.incrementAndGet() > max || 2L * active.get() + sessions.get() > 2L * carried) {
            release();
            return false;
        }
        return true;
    }

    /** Counts one connection out. */
    void release() {
        if (active.decrementAndGet() == 0) {
            synchronized (this) {
                notifyAll();
            }
        }
    }

    /** Connections now. */
    int active() {
        return active.get();
    }

    /** Most connections at once. */
    int max() {
        return max;
    }

    /**
     * Waits until no connection is left.
     *
     * @return false if some are left when the time is over
     */
    synchronized boolean awaitNone(Duration limit) throws InterruptedException {
        long deadline = System.nanoTime() + limit.toNanos();
        while (active.get() > 0) {
            long left = (deadline - System.nanoTime()) / 1_000_000;
            if (left <= 0) {
                return false;
            }
            wait(left);
        }
        return true;
    }
}
