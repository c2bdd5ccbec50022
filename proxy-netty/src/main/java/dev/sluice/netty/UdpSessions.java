package dev.sluice.netty;

import dev.sluice.config.ProxyConfig;
import dev.sluice.model.IpAddress;
import dev.sluice.model.LocalSources;
import dev.sluice.netty.ConnectionCounters.Event;
import io.netty.buffer.ByteBuf;
import io.netty.channel.IoEventLoop;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
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
    private final ConnectionLimit limit;
    private final DialGuard guard;
    private final NettyTransport transport;
    private final Supplier<LocalSources> places;
    private final LongSupplier nanoTime;

    /** The longest idle one first. */
    private final Map<Key, UdpSession> sessions = new LinkedHashMap<>(16, 0.75f, true);

    private record Key(UdpSocket socket, InetSocketAddress client) {
        @Override
        public boolean equals(Object other) {
            return other instanceof Key key && socket == key.socket && client.equals(key.client);
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(socket) * 31 + client.hashCode();
        }
    }

    /**
     * @param most sessions at once on this loop, 1 or more
     * @param limit descriptors of the process; a session has one
     */
    UdpSessions(
            IoEventLoop eventLoop,
            NettyTransport transport,
            ProxyConfig.Udp limits,
            int most,
            ConnectionLimit limit,
            DialGuard guard,
            Supplier<LocalSources> places,
            LongSupplier nanoTime) {
        this.eventLoop = eventLoop;
        this.transport = transport;
        this.limits = limits;
        this.most = most;
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

    IoEventLoop eventLoop() {
        return eventLoop;
    }

    NettyTransport transport() {
        return transport;
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

    /** A datagram from a client; the caller keeps the buffer. */
    void fromClient(UdpSocket socket, InetSocketAddress client, ByteBuf data) {
        Key key = new Key(socket, client);
        UdpSession session = sessions.get(key);
        if (session == null) {
            session = begin(key);
        }
        if (session != null) {
            session.fromClient(data);
        }
    }

    private @Nullable UdpSession begin(Key key) {
        IpAddress client = IpAddress.of(key.client.getAddress());
        Route route = key.socket.routes().entrance().route(client, places.get());
        if (!route.isOpen()) {
            key.socket.counters().count(route.refusal());
            return null;
        }
        if (!makeRoom()) {
            key.socket.counters().count(Event.OVER_LIMIT);
            return null;
        }
        UdpSession session =
                new UdpSession(
                        this, key.socket, key.client, client, route.selector().orElseThrow());
        sessions.put(key, session);
        key.socket.counters().count(Event.ACCEPTED);
        return session;
    }

    /** Ends the longest idle session if there are as many as there may be. */
    private boolean makeRoom() {
        if (sessions.size() < most && limit.tryAcquireSession()) {
            return true;
        }
        Iterator<UdpSession> oldest = sessions.values().iterator();
        if (!oldest.hasNext()) {
            return false;
        }
        UdpSession evicted = oldest.next();
        oldest.remove();
        evicted.socket().counters().count(Event.SESSION_EVICTED);
        over(evicted);
        return limit.tryAcquireSession();
    }

    /** A session that has ended by itself. */
    void ended(UdpSession session) {
        if (sessions.remove(new Key(session.socket(), session.client()), session)) {
            over(session);
        }
    }

    private void over(UdpSession session) {
        session.close();
        limit.releaseSession();
        session.socket().counters().count(Event.ENDED);
    }

    /** Takes endpoints away that sessions of the socket may not stay with. */
    void review(UdpSocket socket) {
        UdpRoutes routes = socket.routes();
        LocalSources sources = places.get();
        for (UdpSession session : of(socket)) {
            if (!session.mayStay(routes, sources)) {
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
            for (UdpSession session : List.copyOf(sessions.values())) {
                session.countBytes();
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
