package dev.sluice.netty;

import dev.sluice.balance.BackendSelector;
import dev.sluice.config.ProxyConfig;
import dev.sluice.model.Endpoint;
import dev.sluice.model.FrontEnd;
import dev.sluice.model.ServicePortName;
import dev.sluice.netty.ConnectionCounters.Event;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client's connection from accept to close: first a client leg and a dialer, then two legs and
 * a relay each way.
 *
 * <p>A FIN passes through each relay on its own, so either side may end its stream and go on
 * reading. A RST on one leg becomes a RST on the other, after the bytes that came before it ({@link
 * PendingReset}).
 *
 * <p>Threads: its event loop only.
 */
final class ProxyConnection implements Dialer.Outcome {
    private static final Logger log = LoggerFactory.getLogger(ProxyConnection.class);

    private enum Phase {
        DIALLING,
        SPLICED,
        RESETTING,
        CLOSED
    }

    private final ConnectionLoop loop;
    private final ServicePortName servicePort;
    private final @Nullable FrontEnd asked;
    private final long startedAt = System.nanoTime();
    private final ConnectionLimit limit;
    private final ConnectionCounters counters;
    private final StreamSocket client;
    private final Dialer dialer;
    private final Relay upload;
    private final Liveness clientLiveness;
    private final Liveness serverLiveness;
    private Phase phase = Phase.DIALLING;
    private Event death = Event.RESET;
    private @Nullable Endpoint endpoint;
    private @Nullable StreamSocket backend;
    private @Nullable Relay download;
    private @Nullable PendingReset reset;
    private boolean turnIsDue;

    /**
     * @param asked what the client asked for; null where nothing redirects
     */
    ProxyConnection(
            ConnectionLoop loop,
            ProxyConfig.Dial dial,
            DialGuard guard,
            ConnectionLimit limit,
            ConnectionCounters counters,
            ServicePortName servicePort,
            @Nullable FrontEnd asked,
            BackendSelector selector,
            StreamSocket client) {
        this.loop = loop;
        this.servicePort = servicePort;
        this.asked = asked;
        this.limit = limit;
        this.counters = counters;
        this.client = client;
        this.dialer = new Dialer(loop, dial, guard, counters, selector, client.peer(), this);
        this.upload = new Relay(loop, client, null);
        this.clientLiveness = new Liveness(loop.limits().unackedTimeout());
        this.serverLiveness = new Liveness(loop.limits().unackedTimeout());
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
            counters.count(Event.CLIENT_GONE);
            abort();
        } catch (RuntimeException | Error e) {
            endByFault(e);
        }
    }

    @Override
    public void connected(Endpoint chosen, StreamSocket answered) {
        counters.count(Event.SPLICED);
        log.debug("{}: {} is served by {}", servicePort, client.peer(), chosen);
        phase = Phase.SPLICED;
        endpoint = chosen;
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
        counters.count(Event.FAULT);
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
            beginReset(server, client, back, upload);
        } else if (client.failed()) {
            beginReset(client, server, upload, back);
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

    private void beginReset(StreamSocket dead, StreamSocket survivor, Relay last, Relay unwanted) {
        counters.count(death);
        phase = Phase.RESETTING;
        unwanted.abandon();
        reset = new PendingReset(dead, survivor, last);
        finishReset();
    }

    private void finishReset() {
        PendingReset current = reset;
        if (current == null) {
            throw new IllegalStateException("resetting without a survivor");
        }
        if (current.isDue(System.nanoTime())) {
            abort();
        } else {
            current.checkLater(loop.eventLoop(), this::turn);
        }
    }

    /**
     * Looks for what no event tells: half-closed connections that nobody uses, peers that are gone
     * with bytes on their way.
     */
    void reap(long now) {
        StreamSocket server = backend;
        Relay back = download;
        if (phase != Phase.SPLICED || server == null || back == null) {
            return;
        }
        long lastMoved = Math.max(upload.lastMoved(), back.lastMoved());
        boolean halfClosed = upload.isOver() || back.isOver();
        if (halfClosed && now - lastMoved >= loop.limits().halfClosedTimeout().toNanos()) {
            counters.count(Event.HALF_CLOSED_TIMEOUT);
            abort();
        } else if (clientLiveness.isDead(client, lastMoved, now)) {
            death = Event.PEER_DEAD;
            client.fail();
            turn();
        } else if (serverLiveness.isDead(server, lastMoved, now)) {
            death = Event.PEER_DEAD;
            server.fail();
            turn();
        }
    }

    ServicePortName servicePort() {
        return servicePort;
    }

    /** Adds the bytes that came since the last time to the counters. */
    void countBytes() {
        counters.addBytes(upload.newBytes(), download == null ? 0 : download.newBytes());
    }

    /** What can be seen of it at a time of {@link System#nanoTime}. */
    ConnectionStatus status(long now) {
        return new ConnectionStatus(
                servicePort,
                client.peer(),
                client.peerPort(),
                Optional.ofNullable(asked),
                Optional.ofNullable(endpoint == null ? dialer.dialling() : endpoint),
                shownPhase(),
                Duration.ofNanos(Math.max(0, now - startedAt)),
                upload.bytes(),
                download == null ? 0 : download.bytes());
    }

    private ConnectionStatus.Phase shownPhase() {
        return switch (phase) {
            case DIALLING -> ConnectionStatus.Phase.DIALLING;
            case SPLICED ->
                    upload.isOver() || (download != null && download.isOver())
                            ? ConnectionStatus.Phase.HALF_CLOSED
                            : ConnectionStatus.Phase.SPLICED;
            case RESETTING, CLOSED -> ConnectionStatus.Phase.RESETTING;
        };
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
        if (reset != null) {
            reset.cancel();
        }
        loop.remove(this);
        countBytes();
        counters.count(Event.ENDED);
        limit.release();
    }
}
