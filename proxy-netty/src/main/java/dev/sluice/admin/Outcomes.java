package dev.sluice.admin;

import dev.sluice.netty.ConnectionCounters.Event;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;

/**
 * How connections and dials may fail, and by which word it is known.
 *
 * <p>Immutable; any thread.
 */
final class Outcomes {
    /** Connections that never reached an endpoint. */
    static final List<Event> FAILED =
            List.of(
                    Event.NOT_REDIRECTED,
                    Event.NO_ENDPOINT,
                    Event.NO_LOCAL_ENDPOINT,
                    Event.SOURCE_NOT_ALLOWED,
                    Event.OVER_LIMIT,
                    Event.NO_DESCRIPTOR,
                    Event.CLIENT_GONE,
                    Event.UNANSWERED);

    /** Connections that ended otherwise than by the end of both streams. */
    static final List<Event> BROKEN =
            List.of(Event.RESET, Event.HALF_CLOSED_TIMEOUT, Event.PEER_DEAD, Event.FAULT);

    /** Dials that reached no endpoint. */
    static final List<Event> DIALS_FAILED =
            List.of(Event.DIAL_FAILED, Event.DIAL_LOCAL_FAULT, Event.DIAL_FORBIDDEN);

    private Outcomes() {}

    /** The word for an outcome. */
    static String reason(Event event) {
        return switch (event) {
            case DIAL_FAILED -> "endpoint";
            case DIAL_LOCAL_FAULT -> "this_node";
            case DIAL_FORBIDDEN -> "forbidden";
            default -> event.name().toLowerCase(Locale.ROOT);
        };
    }

    /** The counts of those that have happened, by their words. */
    static Map<String, Long> happened(List<Event> outcomes, ToLongFunction<Event> count) {
        Map<String, Long> happened = new TreeMap<>();
        for (Event outcome : outcomes) {
            long times = count.applyAsLong(outcome);
            if (times > 0) {
                happened.put(reason(outcome), times);
            }
        }
        return happened;
    }
}
