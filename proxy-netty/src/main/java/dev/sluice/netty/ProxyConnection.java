package dev.sluice.netty;

import dev.sluice.balance.BackendSelector;
import dev.sluice.config.ProxyConfig;
import dev.sluice.model.Endpoint;
import dev.sluice.model.ServicePortName;
import dev.sluice.netty.ConnectionCounters.Event;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ScheduledFuture;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client's connection from accept to close: first a client leg and a dialer, then two legs and
 * a relay each way.
 *
 * <p>A FIN passes through each relay on its own, so either side may end its stream and go on
 * reading. A RST on one leg becomes a RST on the other, after the bytes that came before it have
 * arrived there: closing with a RST throws away what the kernel has not delivered yet, so it waits
 * until the peer has acknowledged everything, or until nothing has moved for {@link
 * #RESET_PATIENCE_NANOS}.
 *
 * <p>Threads: its event loop only.
 */
final class ProxyConnection implements Dialer.Outcome {
    private static final Logger log = LoggerFactory.getLogger(ProxyConnection.class);

    /** How long a RST waits for bytes that do not move, ns. */
    private static final long RESET_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The same where nobody tells whether they have arrived, ns. */
    private static final long BLIND_RESET_PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** How often a waiting RST looks whether all bytes have arrived, ms. */
    private static final long RESET_CHECK_MILLIS = 5;

    private enum Phase {
        DIALLING,
        SPLICED,
        RESETTING,
        CLOSED
    }

    private final ConnectionLoop loop;
    private final ServicePortName servicePort;
    private final ConnectionLimit limit;
    private final ConnectionCounters counters;
    private final StreamSocket client;
    private final Dialer dialer;
    private final Relay upload;
    private final long began = System.nanoTime();
    private Phase phase = Phase.DIALLING;
    private @Nullable StreamSocket backend;
    private @Nullable Relay download;
    private @Nullable Reset reset;
    private boolean turnIsDue;
    private boolean suspect;
    private long clean = began;

    ProxyConnection(
            ConnectionLoop loop,
            ProxyConfig.Dial dial,
            DialGuard guard,
            ConnectionLimit limit,
            ConnectionCounters counters,
            ServicePortName servicePort,
            BackendSelector selector,
            StreamSocket client) {
        this.loop = loop;
        this.servicePort = servicePort;
        this.limit = limit;
        this.counters = counters;
        this.client = client;
        this.dialer = new Dialer(loop, dial, guard, counters, selector, client.peer(), this);
        this.upload = new Relay(loop, client, null);
    }

    /** Begins; the connection has been counted in {@link ConnectionLimit} and counts itself out. */
    void start() {
        if (!loop.add(this)) {
            abort();
            return;
        }
        client.onReady(this::turn);
        try {
            client.register(loop);
            client.interest(StreamSocket.READ);
            dialer.start();
        } catch (IOException e) {
            log.debug("{}: a client left before it was served: {}", servicePort, e.getMessage());
            abort();
        } catch (RuntimeException | Error e) {
            endByFault(e);
        }
    }

    @Override
    public void connected(Endpoint endpoint, StreamSocket answered) {
        counters.count(Event.SPLICED);
        log.debug("{}: {} is served by {}", servicePort, client.peer(), endpoint);
        phase = Phase.SPLICED;
        backend = answered;
        upload.connect(answered);
        download = new Relay(loop, answered, client);
        answered.onReady(this::turn);
        turn();
    }

    @Override
    public void unanswered() {
        counters.count(Event.UNANSWERED);
        log.debug("{}: no endpoint answered for {}", servicePort, client.peer());
        abort();
    }

    private void turn() {
        try {
            switch (phase) {
                case DIALLING -> whileDialling();
                case SPLICED -> splice();
                case RESETTING -> finishReset();
                case CLOSED -> {}
            }
        } catch (RuntimeException | Error e) {
            // Out of memory, too: an exception that reaches the event loop costs every connection
            // of the loop the events that came with this one, and an error ends the loop.
            endByFault(e);
        }
    }

    private void endByFault(Throwable fault) {
        log.error("{}: a connection ends by a fault of the proxy", servicePort, fault);
        abort();
    }

    private void whileDialling() {
        upload.pump();
        if (client.failed()) {
            counters.count(Event.CLIENT_GONE);
            abort();
            return;
        }
        client.interest(upload.wantsInput() ? StreamSocket.READ : 0);
    }

    private void splice() {
        StreamSocket server = backend;
        Relay back = download;
        if (server == null || back == null) {
            throw new IllegalStateException("spliced without a backend");
        }
        upload.pump();
        back.pump();
        if (upload.isFinished() && back.isFinished()) {
            close();
        } else if (server.failed()) {
            beginReset(new Reset(server, client, back, upload));
        } else if (client.failed()) {
            beginReset(new Reset(client, server, upload, back));
        } else {
            client.interest(interest(upload, back));
            server.interest(interest(back, upload));
            if (upload.hasWork() || back.hasWork()) {
                takeAnotherTurn();
            }
        }
    }

    private static int interest(Relay outOf, Relay into) {
        return (outOf.wantsInput() ? StreamSocket.READ : 0)
                | (into.isBlocked() ? StreamSocket.WRITE : 0);
    }

    private void takeAnotherTurn() {
        if (!turnIsDue) {
            turnIsDue = true;
            loop.eventLoop()
                    .execute(
                            () -> {
                                turnIsDue = false;
                                turn();
                            });
        }
    }

    private void beginReset(Reset begun) {
        counters.count(Event.RESET);
        phase = Phase.RESETTING;
        reset = begun;
        begun.unwanted.abandon();
        finishReset();
    }

    private void finishReset() {
        Reset current = reset;
        if (current == null) {
            throw new IllegalStateException("resetting without a survivor");
        }
        if (current.isDone(System.nanoTime())) {
            abort();
            return;
        }
        current.dead.interest(current.last.wantsInput() ? StreamSocket.READ : 0);
        current.survivor.interest(current.last.isBlocked() ? StreamSocket.WRITE : 0);
        if (current.timer == null) {
            current.timer =
                    loop.eventLoop()
                            .schedule(
                                    () -> {
                                        current.timer = null;
                                        turn();
                                    },
                                    RESET_CHECK_MILLIS,
                                    TimeUnit.MILLISECONDS);
        }
    }

    /** A RST that waits for the bytes before it. */
    private static final class Reset {
        private final StreamSocket dead;
        private final StreamSocket survivor;
        private final Relay last;
        private final Relay unwanted;
        private @Nullable ScheduledFuture<?> timer;
        private long outstanding = Long.MAX_VALUE;
        private long lastProgress;

        Reset(StreamSocket dead, StreamSocket survivor, Relay last, Relay unwanted) {
            this.dead = dead;
            this.survivor = survivor;
            this.last = last;
            this.unwanted = unwanted;
            this.lastProgress = System.nanoTime();
        }

        /** Moves what is left, and says whether the survivor has all of it, or will never have. */
        boolean isDone(long now) {
            last.pump();
            if (survivor.failed() || (last.isOver() && !last.isFinished())) {
                return true;
            }
            TcpInfo info = survivor.tcpInfo();
            if (info != null) {
                if (info.state() == TcpInfo.CLOSE
                        || (last.isDrained() && info.outstanding() == 0)) {
                    return true;
                }
                if (info.outstanding() < outstanding) {
                    lastProgress = now;
                }
                outstanding = info.outstanding();
            } else if (last.isDrained() && now - last.lastMoved() >= BLIND_RESET_PATIENCE_NANOS) {
                // By now they have arrived, or the client is slow: there is no way to know.
                return true;
            }
            return now - Math.max(lastProgress, last.lastMoved()) >= RESET_PATIENCE_NANOS;
        }
    }

    /**
     * Looks for what no event tells: half-closed connections that nobody uses, sockets that the
     * kernel has dropped silently, peers that are gone with bytes on their way.
     */
    void reap(long now) {
        StreamSocket server = backend;
        Relay back = download;
        if (phase != Phase.SPLICED || server == null || back == null) {
            return;
        }
        boolean halfClosed = upload.isOver() || back.isOver();
        long lastMoved = Math.max(Math.max(upload.lastMoved(), back.lastMoved()), began);
        if (halfClosed && now - lastMoved >= loop.limits().halfClosedTimeout().toNanos()) {
            counters.count(Event.HALF_CLOSED_TIMEOUT);
            abort();
            return;
        }
        if (!halfClosed && lastMoved < clean) {
            return;
        }
        TcpInfo clientInfo = client.tcpInfo();
        TcpInfo serverInfo = server.tcpInfo();
        if (clientInfo == null || serverInfo == null) {
            return;
        }
        boolean clientDead = isDead(clientInfo);
        if (!clientDead && !isDead(serverInfo)) {
            suspect = false;
            if (clientInfo.outstanding() + serverInfo.outstanding() == 0) {
                clean = now;
            }
        } else if (!suspect) {
            // The answer may be on its way: only what stays so until the next look counts.
            suspect = true;
        } else {
            counters.count(Event.PEER_DEAD);
            (clientDead ? client : server).fail();
            turn();
        }
    }

    /** One unanswered probe says nothing: it may be on its way, or counted after its answer. */
    private boolean isDead(TcpInfo info) {
        return info.state() == TcpInfo.CLOSE
                || (info.outstanding() > 0
                        && info.unansweredProbes() > 1
                        && info.sinceLastAckMillis() >= loop.limits().unackedTimeout().toMillis());
    }

    /** Ends both legs with a RST, whatever they are doing. */
    void abort() {
        if (phase != Phase.CLOSED) {
            end();
            client.reset();
            if (backend != null) {
                backend.reset();
            }
        }
    }

    private void close() {
        end();
        client.close();
        if (backend != null) {
            backend.close();
        }
    }

    private void end() {
        phase = Phase.CLOSED;
        dialer.cancel();
        upload.abandon();
        if (download != null) {
            download.abandon();
        }
        if (reset != null && reset.timer != null) {
            Future<?> timer = reset.timer;
            timer.cancel(false);
        }
        loop.remove(this);
        limit.release();
    }
}
