package dev.sluice.netty;

import dev.sluice.config.ProxyConfig;
import dev.sluice.model.ServicePortName;
import dev.sluice.stats.DurationHistogram;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandle;
import io.netty.channel.IoRegistration;
import io.netty.util.concurrent.Future;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An event loop with what its connections share: the buffer that bytes pass through, the list of
 * live connections, their reaper, and one spare descriptor.
 *
 * <p>Threads: made by the control thread; everything else belongs to the event loop, unless a
 * method says otherwise.
 */
final class ConnectionLoop {
    private static final Logger log = LoggerFactory.getLogger(ConnectionLoop.class);

    /**
     * Most bytes that one read takes. A flow holds at most one read each way in user space, so the
     * two together stay within 256 KiB.
     */
    private static final int SCRATCH_BYTES = 128 * 1024;

    private final IoEventLoop eventLoop;
    private final NettyTransport transport;
    private final ProxyConfig.Connections limits;
    private final ByteBuffer scratch = ByteBuffer.allocateDirect(SCRATCH_BYTES);
    private final DurationHistogram dialTimes;
    private final Set<ProxyConnection> live = new LinkedHashSet<>();
    private @Nullable Future<?> reaper;
    private @Nullable Closeable spare;
    private boolean closed;

    ConnectionLoop(
            IoEventLoop eventLoop,
            NettyTransport transport,
            ProxyConfig.Connections limits,
            DurationHistogram dialTimes) {
        this.eventLoop = eventLoop;
        this.transport = transport;
        this.limits = limits;
        this.dialTimes = dialTimes;
    }

    /** Starts the reaper and takes the spare descriptor. */
    void open() {
        long interval = limits.reapInterval().toNanos();
        reaper =
                eventLoop.scheduleWithFixedDelay(
                        this::reap, interval, interval, TimeUnit.NANOSECONDS);
        holdSpare();
    }

    /** Any thread. */
    IoEventLoop eventLoop() {
        return eventLoop;
    }

    NettyTransport transport() {
        return transport;
    }

    ProxyConfig.Connections limits() {
        return limits;
    }

    /** How long endpoints take to answer, on all loops. */
    DurationHistogram dialTimes() {
        return dialTimes;
    }

    ProxyConfig.Keepalive keepalive() {
        return limits.keepalive();
    }

    /** A direct buffer for the duration of one call; its content is nobody's afterwards. */
    ByteBuffer scratch() {
        return scratch.clear();
    }

    IoRegistration register(IoHandle handle) throws IOException {
        Future<IoRegistration> registered = eventLoop.register(handle);
        if (!registered.isSuccess()) {
            throw new IOException("the event loop took no socket", registered.cause());
        }
        return registered.getNow();
    }

    /** Work for an event loop that may fail. */
    interface Task {
        void run() throws IOException;
    }

    /** Runs a task on the event loop and waits for it. Control thread. */
    void run(Task task) throws IOException {
        Future<?> done =
                eventLoop.submit(
                        () -> {
                            task.run();
                            return true;
                        });
        try {
            done.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException cause) {
                throw cause;
            }
            throw new IllegalStateException("an event loop failed", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while an event loop worked");
        }
    }

    /** Keeps a connection; false if the loop ends and nobody would reset it any more. */
    boolean add(ProxyConnection connection) {
        return !closed && live.add(connection);
    }

    void remove(ProxyConnection connection) {
        live.remove(connection);
    }

    /** Adds the bytes of live connections to their counters. */
    void countBytes() {
        live.forEach(ProxyConnection::countBytes);
    }

    /** The live connections of some Service ports, those that came first, and their number. */
    ConnectionStatus.Sample connections(Predicate<ServicePortName> wanted, int limit, long now) {
        List<ConnectionStatus> oldest = new ArrayList<>();
        int total = 0;
        for (ProxyConnection connection : live) {
            if (wanted.test(connection.servicePort())) {
                if (total < limit) {
                    oldest.add(connection.status(now));
                }
                total++;
            }
        }
        return new ConnectionStatus.Sample(oldest, total);
    }

    /** Resets every connection of this loop, before it ends. */
    void close() {
        closed = true;
        for (ProxyConnection connection : List.copyOf(live)) {
            connection.abort();
        }
        if (reaper != null) {
            reaper.cancel(false);
        }
        releaseSpare();
    }

    /**
     * Lets go of the spare descriptor so that one waiting client can be taken and told no.
     *
     * @return false if there is none to let go of
     */
    boolean releaseSpare() {
        if (spare == null) {
            return false;
        }
        try {
            spare.close();
        } catch (IOException e) {
            log.debug("closing the spare descriptor failed", e);
        }
        spare = null;
        return true;
    }

    /** Takes a spare descriptor again, if there is one. */
    void holdSpare() {
        if (spare != null || closed) {
            return;
        }
        try {
            spare = transport.spareDescriptor();
        } catch (IOException e) {
            log.debug("no descriptor left to hold in reserve", e);
        }
    }

    private void reap() {
        holdSpare();
        long now = System.nanoTime();
        for (ProxyConnection connection : List.copyOf(live)) {
            try {
                connection.reap(now);
            } catch (RuntimeException | Error e) {
                // A periodic task that throws is never run again.
                log.error("a connection could not be looked at", e);
            }
        }
    }
}
