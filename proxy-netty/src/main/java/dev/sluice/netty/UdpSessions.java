package dev.sluice.netty;

import dev.sluice.config.ProxyConfig;
import dev.sluice.model.Endpoint;
import dev.sluice.model.IpAddress;
import dev.sluice.model.LocalSources;
import dev.sluice.model.ServicePortName;
import dev.sluice.netty.ConnectionCounters.Event;
import io.netty.buffer.ByteBuf;
import io.netty.channel.IoEventLoop;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sessions of one event loop: one for each client address and port at each socket. They end
 * when they are idle for too long, when there are too many of them, the one first that was idle for
 * the longest time, and with their socket.
 *
 * <p>Threads: its event loop only.
 */
final class UdpSessions {
    private static final Logger log = LoggerFactory.getLogger(UdpSessions.class);

    /** How often idle ones are looked for, s: small beside the limits, which are 30 s and more. */
    private static final long SWEEP_SECONDS = 1;

    private final IoEventLoop eventLoop;
    private final ProxyConfig.Udp limits;
    private final int most;
    private final int mostTries;
    private final ConnectionLimit limit;
    private final DialGuard guard;
    private final NettyTransport transport;
    private final Supplier<LocalSources> places;
    private final LongSupplier nanoTime;
    private final RateLimitedWarning shortage = new RateLimitedWarning(log);
    private final UdpRefusals refusals = new UdpRefusals();
    private final UdpQuestions questions = new UdpQuestions();
    private boolean faultTold;

    /** The longest idle one first. */
    private final Map<Key, UdpSession> sessions = new LinkedHashMap<>(16, 0.75f, true);

    /** What a session is for. The socket is compared by identity. */
    record Key(UdpSocket socket, InetSocketAddress client) {}

    /**
     * @param most sessions at once on this loop, 1 or more
     * @param mostTries endpoints that one question is asked at, at most
     * @param limit descriptors of the process; a session has one
     */
    UdpSessions(
            IoEventLoop eventLoop,
            NettyTransport transport,
            ProxyConfig.Udp limits,
            int most,
            int mostTries,
            ConnectionLimit limit,
            DialGuard guard,
            Supplier<LocalSources> places,
            LongSupplier nanoTime) {
        this.eventLoop = eventLoop;
        this.transport = transport;
        this.limits = limits;
        this.most = most;
        this.mostTries = mostTries;
        this.limit = limit;
        this.guard = guard;
        this.places = places;
        this.nanoTime = nanoTime;
    }

    /** Begins to look for idle sessions. Any thread. */
    void start() {
        var unused =
                eventLoop.scheduleWithFixedDelay(
                        this::sweep, SWEEP_SECONDS, SWEEP_SECONDS, TimeUnit.SECONDS);
    }

    DialGuard guard() {
        return guard;
    }

    long now() {
        return nanoTime.getAsLong();
    }

    /** Number of sessions. */
    int size() {
        return sessions.size();
    }

    /** Endpoints that one question is asked at, at most. */
    int mostTries() {
        return mostTries;
    }

    /** Where a client of a socket goes now. */
    Route route(UdpSocket socket, IpAddress client) {
        return socket.routes().entrance().route(client, places.get());
    }

    /** A datagram from a client; the caller keeps the buffer. */
    void fromClient(UdpSocket socket, InetSocketAddress client, ByteBuf data) {
        Key key = new Key(socket, client);
        UdpSession session = sessions.get(key);
        if (session == null) {
            session = begin(key);
        }
        if (session == null) {
            return;
        }
        try {
            session.fromClient(data);
        } catch (RuntimeException | Error e) {
            fault(session, e);
        }
    }

    private @Nullable UdpSession begin(Key key) {
        IpAddress client = IpAddress.of(key.client.getAddress());
        Route route = route(key.socket, client);
        if (!route.isOpen()) {
            key.socket.counters().count(route.refusal());
            return null;
        }
        if (!makeRoom()) {
            key.socket.counters().count(Event.OVER_LIMIT);
            return null;
        }
        UdpSession session = new UdpSession(this, key, client);
        sessions.put(key, session);
        key.socket.counters().count(Event.ACCEPTED);
        return session;
    }

    /** Ends the longest idle session if there are as many as there may be. */
    private boolean makeRoom() {
        return (sessions.size() < most && limit.tryAcquireSession())
                || (evict(null) && limit.tryAcquireSession());
    }

    /** Ends the longest idle session, though not the one that wants its place. */
    private boolean evict(@Nullable UdpSession wanting) {
        for (UdpSession oldest : sessions.values()) {
            if (oldest != wanting) {
                oldest.socket().counters().count(Event.SESSION_EVICTED);
                ended(oldest);
                return true;
            }
        }
        return false;
    }

    /**
     * Makes the socket of a session. Where there is no descriptor or local port for it, those of
     * the longest idle session are.
     */
    UdpUpstream connect(UdpSession session, Endpoint endpoint) throws IOException {
        try {
            return UdpUpstream.connect(eventLoop, transport, session, endpoint);
        } catch (IOException e) {
            if (!UdpUpstream.isShortage(e)) {
                log.debug("no socket to {}: {}", endpoint, e.toString());
                throw e;
            }
            shortage.warn("no socket for one more UDP session: {}", String.valueOf(e.getMessage()));
            if (!evict(session)) {
                throw e;
            }
            return UdpUpstream.connect(eventLoop, transport, session, endpoint);
        }
    }

    /** A datagram came from the endpoint of a session; those of clients are seen anyway. */
    void used(UdpSession session) {
        var unused = sessions.get(session.key());
    }

    UdpRefusals refusals() {
        return refusals;
    }

    /** Those who wait for an answer of an endpoint need not wait: nobody listens there. */
    void refused(Endpoint endpoint) {
        for (UdpSession session : List.copyOf(sessions.values())) {
            try {
                session.refusedBy(endpoint);
            } catch (RuntimeException | Error e) {
                fault(session, e);
            }
        }
    }

    UdpQuestions questions() {
        return questions;
    }

    /** A fault of the proxy ends one session, and no other. */
    void fault(UdpSession session, Throwable fault) {
        session.socket().counters().count(Event.FAULT);
        ended(session);
        if (!faultTold) {
            // Once a sweep: any client could write the log full.
            faultTold = true;
            log.error(
                    "{}: a UDP session ends by a fault of the proxy",
                    session.socket().address(),
                    fault);
        }
    }

    /** A session that has ended by itself. */
    void ended(UdpSession session) {
        if (sessions.remove(session.key(), session)) {
            over(session);
        }
    }

    private void over(UdpSession session) {
        session.close();
        limit.releaseSession();
        session.socket().counters().count(Event.ENDED);
    }

    /**
     * Takes endpoints away that sessions of the socket may not stay with, once the answer has come
     * to what they were asked a moment ago: a pod that is replaced still gives it.
     */
    void review(UdpSocket socket) {
        UdpRoutes routes = socket.routes();
        LocalSources sources = places.get();
        for (UdpSession session : of(socket)) {
            if (!session.mayStay(routes, sources) && !session.leavesWithTheAnswer()) {
                ended(session);
            }
        }
    }

    /** Ends the sessions of a socket that is closed. */
    void endAll(UdpSocket socket) {
        of(socket).forEach(this::ended);
    }

    /** Ends all sessions, before the loop ends. */
    void close() {
        List.copyOf(sessions.values()).forEach(this::ended);
    }

    /** Adds the bytes of all sessions to their counters. */
    void countBytes() {
        sessions.values().forEach(UdpSession::countBytes);
    }

    /** The sessions of some Service ports, those that came first, and their number. */
    ConnectionStatus.Sample status(Predicate<ServicePortName> wanted, int mostShown) {
        long now = now();
        List<UdpSession> found = new ArrayList<>();
        for (UdpSession session : sessions.values()) {
            if (wanted.test(session.socket().routes().servicePort().name())) {
                found.add(session);
            }
        }
        return new ConnectionStatus.Sample(
                found.stream()
                        .sorted(Comparator.comparingLong(session -> session.startedAt() - now))
                        .limit(mostShown)
                        .map(session -> session.status(now))
                        .toList(),
                found.size());
    }

    private List<UdpSession> of(UdpSocket socket) {
        List<UdpSession> own = new ArrayList<>();
        for (UdpSession session : sessions.values()) {
            if (session.socket() == socket) {
                own.add(session);
            }
        }
        return own;
    }

    void sweep() {
        try {
            long now = now();
            faultTold = false;
            for (UdpSession session : List.copyOf(sessions.values())) {
                session.countBytes();
                session.forgetOldQuestion(now);
                long idle =
                        (session.isReplied() ? limits.repliedTimeout() : limits.unrepliedTimeout())
                                .toNanos();
                if (now - session.lastUsed() >= idle) {
                    session.socket().counters().count(Event.SESSION_EXPIRED);
                    ended(session);
                }
            }
        } catch (RuntimeException | Error e) {
            // A periodic task that throws is never run again.
            log.error("idle UDP sessions could not be looked for", e);
        }
    }
}
