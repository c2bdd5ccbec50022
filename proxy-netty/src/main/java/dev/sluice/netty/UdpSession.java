package dev.sluice.netty;

import dev.sluice.balance.BackendSelector;
import dev.sluice.model.Endpoint;
import dev.sluice.model.IpAddress;
import dev.sluice.model.LocalSources;
import dev.sluice.model.Protocol;
import dev.sluice.netty.ConnectionCounters.Event;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.net.PortUnreachableException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The datagrams between one client address and port and one endpoint.
 *
 * <p>Where nobody listens any more, the next endpoint is picked, as after a failed dial, and the
 * last question is asked there again if nothing has come back since.
 *
 * <p>Threads: its event loop only.
 */
final class UdpSession {
    private static final Logger log = LoggerFactory.getLogger(UdpSession.class);

    /** How long a question is kept to be asked again, ns: no ICMP comes later. */
    private static final long QUESTION_NANOS = 1_000_000_000;

    private final UdpSessions sessions;
    private final UdpSessions.Key key;
    private final IpAddress clientAddress;
    private final long startedAt;
    private final Set<Endpoint> tried = new HashSet<>();

    /** Endpoints that the question of this moment has been sent to. */
    private int tries;

    private @Nullable BackendSelector selector;
    private @Nullable Endpoint endpoint;
    private @Nullable UdpUpstream upstream;

    /** The last question, as long as nothing has come back since. */
    private @Nullable ByteBuf unanswered;

    private boolean replied;

    /** Whether the endpoint may answer once more, and is asked nothing. */
    private boolean leaving;

    /** When the endpoint was picked, or answered last. */
    private long heardOrPicked;

    private long lastUsed;
    private long bytesFromClient;
    private long bytesFromEndpoint;
    private long countedFromClient;
    private long countedFromEndpoint;

    UdpSession(UdpSessions sessions, UdpSessions.Key key, IpAddress clientAddress) {
        this.sessions = sessions;
        this.key = key;
        this.clientAddress = clientAddress;
        this.startedAt = sessions.now();
        this.lastUsed = startedAt;
    }

    UdpSessions.Key key() {
        return key;
    }

    UdpSocket socket() {
        return key.socket();
    }

    /** Whether the endpoint has answered, and goes on to be asked. */
    boolean isReplied() {
        return replied && !leaving;
    }

    /** When it began. */
    long startedAt() {
        return startedAt;
    }

    /** When the last datagram came, from either side. */
    long lastUsed() {
        return lastUsed;
    }

    /** Whether its client and endpoint are still right for each other. */
    boolean mayStay(UdpRoutes routes, LocalSources sources) {
        return endpoint == null || routes.keeps(clientAddress, endpoint, sources);
    }

    /** Asks its endpoint no more; false if no answer is to be expected either. */
    boolean leavesWithTheAnswer() {
        leaving = unanswered != null;
        return leaving;
    }

    /** What can be seen of it at a time of the sessions' clock. */
    ConnectionStatus status(long now) {
        return new ConnectionStatus(
                socket().routes().servicePort().name(),
                clientAddress,
                key.client().getPort(),
                Optional.empty(),
                Optional.ofNullable(endpoint),
                replied ? ConnectionStatus.Phase.SPLICED : ConnectionStatus.Phase.DIALLING,
                Duration.ofNanos(Math.max(0, now - startedAt)),
                bytesFromClient,
                bytesFromEndpoint);
    }

    void fromClient(ByteBuf data) {
        lastUsed = sessions.now();
        bytesFromClient += data.readableBytes();
        leaveIfItRefusedOthers();
        if (leaving) {
            leave();
        }
        tries = endpoint == null ? 0 : 1;
        keepQuestion(data);
        if (endpoint != null || pick()) {
            send(data);
        }
    }

    private void leaveIfItRefusedOthers() {
        if (endpoint != null
                && sessions.refusals().isRecentSince(endpoint, heardOrPicked, lastUsed)) {
            tried.add(endpoint);
            leave();
        }
    }

    private void keepQuestion(ByteBuf data) {
        forgetQuestion();
        unanswered = sessions.questions().keep(data);
    }

    private void forgetQuestion() {
        if (unanswered != null) {
            sessions.questions().forget(unanswered);
            unanswered = null;
        }
    }

    /** Lets go of what no ICMP will come for any more. */
    void forgetOldQuestion(long now) {
        if (now - lastUsed >= QUESTION_NANOS) {
            forgetQuestion();
        }
    }

    private void send(ByteBuf data) {
        UdpUpstream open = upstream;
        if (open == null) {
            return;
        }
        try {
            // The copy that is kept is sent as well, which spares another one.
            open.send(
                    unanswered != null
                            ? unanswered.retainedDuplicate()
                            : UdpSocket.copy(open.channel(), data));
        } catch (PortUnreachableException e) {
            refused(data);
        } catch (IOException e) {
            dropped(e);
        }
    }

    private void dropped(Throwable cause) {
        socket().counters().count(Event.DATAGRAM_DROPPED);
        log.debug("{}: to {}: {}", socket().address(), endpoint, cause.toString());
    }

    /**
     * Picks an endpoint out of those of this moment, which those of the beginning may not be any
     * more; false if there is none, and then the session has ended.
     */
    private boolean pick() {
        Route route = sessions.route(key.socket(), clientAddress);
        BackendSelector current = route.selector().orElse(null);
        if (current == null) {
            return endAs(route.refusal());
        }
        boolean triedEarlier = tries == 0 && !tried.isEmpty();
        Endpoint next = untried(current);
        if (next == null && triedEarlier) {
            // All refused some time ago; that does not tell whether they do now.
            tried.clear();
            next = untried(current);
        }
        if (next == null) {
            return endAs(Event.UNANSWERED);
        }
        socket().counters().count(Event.DIALLED);
        if (!tried.isEmpty()) {
            socket().counters().count(Event.DIAL_RETRIED);
        }
        tries++;
        selector = current;
        endpoint = next;
        heardOrPicked = sessions.now();
        try {
            upstream = sessions.connect(this, next);
            return true;
        } catch (IOException e) {
            // It says nothing about the endpoint.
            return endAs(Event.DIAL_LOCAL_FAULT);
        }
    }

    /** One that refused lately only if there is no other. */
    private @Nullable Endpoint untried(BackendSelector current) {
        Endpoint doubtful = null;
        Set<Endpoint> passed = tried;
        while (true) {
            Endpoint next = current.select(clientAddress, passed).orElse(null);
            if (next == null) {
                return doubtful;
            }
            if (sessions.guard().forbids(next, Protocol.UDP).isPresent()) {
                socket().counters().count(Event.DIAL_FORBIDDEN);
                tried.add(next);
            } else if (!sessions.refusals().isRecent(next, sessions.now())) {
                return next;
            } else if (doubtful == null) {
                doubtful = next;
                passed = new HashSet<>(tried);
            }
            passed.add(next);
        }
    }

    private boolean endAs(Event event) {
        socket().counters().count(event);
        sessions.ended(this);
        return false;
    }

    /** What the kernel, or a fault, told of the socket to the endpoint. */
    void failed(UdpUpstream from, Throwable cause) {
        if (from != upstream) {
            return;
        }
        if (cause instanceof PortUnreachableException) {
            refused(unanswered);
        } else if (cause instanceof IOException) {
            dropped(cause);
        } else {
            sessions.fault(this, cause);
        }
    }

    /** Another session has heard that nobody listens there. */
    void refusedBy(Endpoint other) {
        if (unanswered != null && other.equals(endpoint)) {
            refused(unanswered);
        }
    }

    /**
     * Nobody listens there: the next one.
     *
     * @param question null if there is none to be asked again
     */
    private void refused(@Nullable ByteBuf question) {
        Endpoint lost = endpoint;
        if (lost == null || selector == null) {
            return;
        }
        socket().counters().count(Event.DIAL_FAILED);
        selector.dialFailed(clientAddress, lost);
        boolean isNews = sessions.refusals().refused(lost, sessions.now());
        tried.add(lost);
        leave();
        if (question != null) {
            askAgain(question);
        }
        if (isNews) {
            sessions.refused(lost);
        }
    }

    private void askAgain(ByteBuf question) {
        if (tries >= sessions.mostTries()) {
            endAs(Event.UNANSWERED);
        } else if (pick()) {
            if (unanswered == null) {
                unanswered = sessions.questions().keep(question);
            }
            send(question);
        }
    }

    void answered(UdpUpstream from, ByteBuf data) {
        if (from != upstream) {
            return;
        }
        lastUsed = sessions.now();
        heardOrPicked = lastUsed;
        if (endpoint != null) {
            sessions.refusals().answered(endpoint);
        }
        sessions.used(this);
        bytesFromEndpoint += data.readableBytes();
        forgetQuestion();
        if (!replied) {
            replied = true;
            tried.clear();
            socket().counters().count(Event.SPLICED);
        }
        socket().answer(key.client(), data);
        if (leaving) {
            socket().flush();
            sessions.ended(this);
        }
    }

    private void leave() {
        endpoint = null;
        replied = false;
        leaving = false;
        if (upstream != null) {
            upstream.close();
            upstream = null;
        }
    }

    void countBytes() {
        if (bytesFromClient != countedFromClient || bytesFromEndpoint != countedFromEndpoint) {
            socket().counters()
                    .addBytes(
                            bytesFromClient - countedFromClient,
                            bytesFromEndpoint - countedFromEndpoint);
            countedFromClient = bytesFromClient;
            countedFromEndpoint = bytesFromEndpoint;
        }
    }

    /** Lets go of everything; {@link UdpSessions} calls it once. */
    void close() {
        leave();
        forgetQuestion();
        countBytes();
    }
}
