package dev.sluice.netty;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * What became of the connections of one Service port since it was opened, or of several together:
 * what is counted here is counted in the sum above as well, so that the sum stays when a Service
 * port goes.
 *
 * <p>Threads: any. Events come a few times in the life of a connection; its bytes are counted by
 * its own event loop and added here when it ends, and when somebody asks.
 */
public final class ConnectionCounters {
    /** What can be counted of a connection. */
    public enum Event {
        /** Taken from a listener and handed to a dialer. */
        ACCEPTED,
        /** Came to the listener itself although clients are redirected to it; reset. */
        NOT_REDIRECTED,
        /** Came in the moment in which the last endpoint left; reset. */
        NO_ENDPOINT,
        /** Not among {@code loadBalancerSourceRanges}, and let through by no rule; reset. */
        SOURCE_NOT_ALLOWED,
        /** The traffic policy wants an endpoint on this node, and there is none; reset. */
        NO_LOCAL_ENDPOINT,
        /** More than there may be; reset. */
        OVER_LIMIT,
        /** No descriptor for it; reset. */
        NO_DESCRIPTOR,
        /** The client left before an endpoint answered. */
        CLIENT_GONE,
        /** An endpoint was dialled. */
        DIALLED,
        /** The same, after an earlier try for the same connection. */
        DIAL_RETRIED,
        /** A dial failed at the endpoint. */
        DIAL_FAILED,
        /** A dial failed for a reason on this node. */
        DIAL_LOCAL_FAULT,
        /** An endpoint was not dialled because it must never be. */
        DIAL_FORBIDDEN,
        /** No endpoint answered; reset. */
        UNANSWERED,
        /** Both legs were joined. */
        SPLICED,
        /** One side was reset, and so was the other. */
        RESET,
        /** Ended because nothing came over the open half for too long. */
        HALF_CLOSED_TIMEOUT,
        /** Ended because a peer acknowledged nothing for too long. */
        PEER_DEAD,
        /** Ended by a fault of the proxy. */
        FAULT,
        /** A UDP session ended to make room for another one. */
        SESSION_EVICTED,
        /** A UDP session ended because nothing came for too long; that is how they end. */
        SESSION_EXPIRED,
        /** A datagram that a full socket did not take. */
        DATAGRAM_DROPPED,
        /** One that was {@link #ACCEPTED} is over, in whatever way. */
        ENDED
    }

    private final AtomicLongArray counts = new AtomicLongArray(Event.values().length);
    private final AtomicLongArray bytes = new AtomicLongArray(2);
    private final @Nullable ConnectionCounters sum;

    /** Counters that are part of no sum. */
    ConnectionCounters() {
        this(null);
    }

    /**
     * @param sum where all of it is counted as well
     */
    ConnectionCounters(@Nullable ConnectionCounters sum) {
        this.sum = sum;
    }

    @SuppressWarnings("EnumOrdinal") // An index into an array of this process, never stored.
    void count(Event event) {
        for (ConnectionCounters each = this; each != null; each = each.sum) {
            each.counts.incrementAndGet(event.ordinal());
        }
    }

    /** Adds bytes read from clients and from endpoints. */
    void addBytes(long fromClients, long fromEndpoints) {
        for (ConnectionCounters each = this; each != null; each = each.sum) {
            each.bytes.addAndGet(0, fromClients);
            each.bytes.addAndGet(1, fromEndpoints);
        }
    }

    /** How often this happened. */
    @SuppressWarnings("EnumOrdinal")
    public long get(Event event) {
        return counts.get(event.ordinal());
    }

    /** Connections now, those included whose endpoint is still being dialled. */
    public long active() {
        // In this order, so that one which ends meanwhile does not make it negative.
        long ended = get(Event.ENDED);
        return get(Event.ACCEPTED) - ended;
    }

    /** Bytes read from clients, as far as they have been added. */
    public long bytesFromClients() {
        return bytes.get(0);
    }

    /** Bytes read from endpoints, as far as they have been added. */
    public long bytesFromEndpoints() {
        return bytes.get(1);
    }

    boolean isPartOf(ConnectionCounters other) {
        return sum == other;
    }

    /** All that is not zero. */
    Map<Event, Long> nonZero() {
        Map<Event, Long> result = new EnumMap<>(Event.class);
        for (Event event : Event.values()) {
            long count = get(event);
            if (count != 0) {
                result.put(event, count);
            }
        }
        return result;
    }
}
