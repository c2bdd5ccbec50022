package dev.sluice.netty;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * What became of connections since the start.
 *
 * <p>Threads: any.
 */
final class ConnectionCounters {
    /** What can be counted of a connection. */
    enum Event {
        /** Taken from a listener and handed to a dialer. */
        ACCEPTED,
        /** Came to the listener itself although clients are redirected to it; reset. */
        NOT_REDIRECTED,
        /** Came in the moment in which the last endpoint left; reset. */
        NO_ENDPOINT,
        /** More than there may be; reset. */
        OVER_LIMIT,
        /** No descriptor for it; reset. */
        NO_DESCRIPTOR,
        /** The client left before an endpoint answered. */
        CLIENT_GONE,
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
        PEER_DEAD
    }

    private final LongAdder[] counts = new LongAdder[Event.values().length];

    ConnectionCounters() {
        for (int i = 0; i < counts.length; i++) {
            counts[i] = new LongAdder();
        }
    }

    @SuppressWarnings("EnumOrdinal") // An index into an array of this process, never stored.
    void count(Event event) {
        counts[event.ordinal()].increment();
    }

    @SuppressWarnings("EnumOrdinal")
    long get(Event event) {
        return counts[event.ordinal()].sum();
    }

    /** All that is not zero. */
    Map<Event, Long> nonZero() {
        Map<Event, Long> result = new TreeMap<>();
        for (Event event : Event.values()) {
            long count = get(event);
            if (count != 0) {
                result.put(event, count);
            }
        }
        return result;
    }
}
