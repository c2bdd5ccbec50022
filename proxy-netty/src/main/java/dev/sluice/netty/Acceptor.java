package dev.sluice.netty;

import dev.sluice.balance.BackendSelector;
import dev.sluice.config.ProxyConfig;
import dev.sluice.model.FrontEnd;
import dev.sluice.model.LocalSources;
import dev.sluice.netty.ConnectionCounters.Event;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The listener of one Service port: takes connections and starts each of them with the selector of
 * this moment.
 *
 * <p>Threads: its event loop; {@link #update} may be called by the control thread.
 */
final class Acceptor {
    private static final Logger log = LoggerFactory.getLogger(Acceptor.class);

    /**
     * Connections taken in one turn, so that a burst to one Service port does not hold up the
     * others.
     */
    private static final int TURN_CONNECTIONS = 64;

    /**
     * Pause after descriptors ran out, ms: short enough to resume well within 2 s, long enough not
     * to spin.
     */
    private static final long SHORTAGE_PAUSE_MILLIS = 100;

    private final ConnectionLoop loop;
    private final ListenSocket socket;
    private final AskedFrontEnd askedFrontEnd;
    private final Supplier<ConnectionLoop> nextLoop;
    private final ProxyConfig.Dial dial;
    private final DialGuard guard;
    private final ConnectionLimit limit;
    private final ConnectionCounters counters;
    private final RateLimitedWarning shortage;
    private final Supplier<LocalSources> places;
    private volatile Backends backends;

    Acceptor(
            ConnectionLoop loop,
            ListenSocket socket,
            AskedFrontEnd askedFrontEnd,
            Supplier<ConnectionLoop> nextLoop,
            ProxyConfig.Dial dial,
            DialGuard guard,
            ConnectionLimit limit,
            ConnectionCounters counters,
            RateLimitedWarning shortage,
            Supplier<LocalSources> places,
            Backends backends) {
        this.loop = loop;
        this.socket = socket;
        this.askedFrontEnd = askedFrontEnd;
        this.nextLoop = nextLoop;
        this.dial = dial;
        this.guard = guard;
        this.limit = limit;
        this.counters = counters;
        this.shortage = shortage;
        this.places = places;
        this.backends = backends;
    }

    ConnectionLoop loop() {
        return loop;
    }

    /** Sends every connection accepted from now on to these. */
    void update(Backends next) {
        backends = next;
    }

    /** Takes waiting connections; called by the listening socket. */
    void acceptWaiting() {
        try {
            takeWaiting();
        } catch (RuntimeException | Error e) {
            // It must not reach the event loop, which would drop the events of its connections.
            rest();
            log.error("{}: a fault of the proxy while it took connections", backends.name(), e);
        }
    }

    private void takeWaiting() {
        try {
            for (int i = 0; i < TURN_CONNECTIONS; i++) {
                StreamSocket client = socket.accept();
                if (client == null) {
                    return;
                }
                accepted(client);
            }
        } catch (IOException e) {
            shed(e);
            rest();
        }
    }

    private void accepted(StreamSocket client) {
        Backends current = backends;
        if (!limit.tryAcquire()) {
            counters.count(Event.OVER_LIMIT);
            client.reset();
            shortage.warn(
                    "more than {} connections: new ones are reset (connections.max)", limit.max());
            return;
        }
        try {
            ConnectionLoop target = nextLoop.get();
            target.eventLoop().execute(() -> begin(target, current, client));
        } catch (RejectedExecutionException e) {
            // The proxy is being closed.
            turnAway(client);
        } catch (RuntimeException | Error e) {
            turnAway(client);
            counters.count(Event.FAULT);
            throw e;
        }
    }

    /** Ends one that was counted in and shall not be served. */
    private void turnAway(StreamSocket client) {
        limit.release();
        client.reset();
    }

    private void begin(ConnectionLoop target, Backends current, StreamSocket client) {
        ProxyConnection connection;
        try {
            connection = connection(target, current, client);
        } catch (RuntimeException | Error e) {
            turnAway(client);
            counters.count(Event.FAULT);
            log.error("{}: a fault of the proxy at a new connection", current.name(), e);
            return;
        }
        if (connection == null) {
            turnAway(client);
        } else {
            counters.count(Event.ACCEPTED);
            connection.start();
        }
    }

    /** The connection of a client; null if it is not served. */
    private @Nullable ProxyConnection connection(
            ConnectionLoop target, Backends current, StreamSocket client) {
        FrontEnd asked = askedFrontEnd.of(client);
        return selector(current, asked, client)
                .map(
                        selector ->
                                new ProxyConnection(
                                        target,
                                        dial,
                                        guard,
                                        limit,
                                        counters,
                                        current.name(),
                                        asked,
                                        selector,
                                        client))
                .orElse(null);
    }

    private Optional<BackendSelector> selector(
            Backends current, @Nullable FrontEnd asked, StreamSocket client) {
        Entrance entrance = current.entrance(asked);
        Route route =
                entrance == null
                        ? Route.NOT_REDIRECTED
                        : entrance.route(client.peer(), places.get());
        if (!route.isOpen()) {
            counters.count(route.refusal());
            log.debug(
                    "{}: a connection of {} to {} is reset: {}",
                    current.name(),
                    client.peer(),
                    asked == null ? "the listener itself" : asked,
                    route.refusal());
        }
        return route.selector();
    }

    /** No descriptor for a client: tells those that wait, through the spare descriptor. */
    private void shed(IOException cause) {
        shortage.warn("connections can't be taken: {}", String.valueOf(cause.getMessage()));
        // The last time somebody else in the process may have been quicker to take it.
        loop.holdSpare();
        for (int i = 0; i < TURN_CONNECTIONS && loop.releaseSpare(); i++) {
            try {
                StreamSocket client = socket.accept();
                if (client != null) {
                    counters.count(Event.NO_DESCRIPTOR);
                    client.reset();
                } else {
                    i = TURN_CONNECTIONS;
                }
            } catch (IOException e) {
                log.debug("the spare descriptor was taken by somebody else", e);
            }
            loop.holdSpare();
        }
    }

    /** Pauses; whatever goes wrong meanwhile, there is an end to it. */
    private void rest() {
        try {
            Future<?> unused =
                    loop.eventLoop()
                            .schedule(this::resume, SHORTAGE_PAUSE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            log.debug("{}: a listener does not go on, the proxy is being closed", backends.name());
        }
        try {
            socket.pause();
        } catch (RuntimeException | Error e) {
            log.error("{}: a listener could not be paused", backends.name(), e);
        }
    }

    private void resume() {
        try {
            socket.resume();
        } catch (IOException e) {
            rest();
            shortage.warn("a listener can't go on yet: {}", String.valueOf(e.getMessage()));
        } catch (RuntimeException | Error e) {
            rest();
            log.error(
                    "{}: a fault of the proxy at a listener that shall go on", backends.name(), e);
        }
    }
}
