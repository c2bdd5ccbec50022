package dev.sluice.admin;

import dev.sluice.admin.Families.Sample;
import dev.sluice.netty.ConnectionCounters;
import dev.sluice.netty.ConnectionCounters.Event;
import dev.sluice.netty.ServedPort;
import dev.sluice.netty.Traffic;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.List;

/**
 * What became of all connections together, since the start.
 *
 * <p>Threads: the admin loop only.
 */
final class ConnectionMetrics {
    private ConnectionMetrics() {}

    static void add(Families families, Traffic traffic, List<ServedPort> served) {
        ConnectionCounters total = traffic.total();
        families.counter(
                "sluice_connections_opened",
                "Connections taken from a listener and handed to a dialer.",
                total.get(Event.ACCEPTED));
        families.gauge(
                "sluice_connections_active",
                "Connections now, those included whose endpoint is still being dialled.",
                total.active());
        families.gauge(
                "sluice_connections_max",
                "Most connections at once: connections.max, or what the descriptor limit carries.",
                traffic.maxConnections());
        families.counter(
                "sluice_connections_failed",
                "Connections that never reached an endpoint. client_gone: the client left first;"
                        + " no_descriptor: no file descriptor was left; no_endpoint: came as the"
                        + " last endpoint left; no_local_endpoint: came before the rules by which"
                        + " policy Local drops; not_redirected: came to the listener itself;"
                        + " over_limit: more than sluice_connections_max; source_not_allowed: not"
                        + " of loadBalancerSourceRanges; unanswered: no endpoint answered.",
                byReason(total, Outcomes.FAILED));
        families.counter(
                "sluice_connections_broken",
                "Connections that ended otherwise than by the end of both streams. fault: a fault"
                        + " of the proxy, see its log; half_closed_timeout: half-closed and no byte"
                        + " for connections.half-closed-timeout; peer_dead: a peer acknowledged"
                        + " nothing for connections.unacked-timeout; reset: one side reset it.",
                byReason(total, Outcomes.BROKEN));
        families.counter(
                "sluice_bytes",
                "Bytes read from clients and from endpoints.",
                List.of(
                        new Sample(Labels.of("from", "client"), total.bytesFromClients()),
                        new Sample(Labels.of("from", "endpoint"), total.bytesFromEndpoints())));
        families.counter(
                "sluice_dials",
                "Tries to reach an endpoint, the retries included.",
                total.get(Event.DIALLED));
        families.counter(
                "sluice_dial_retries",
                "Tries to reach an endpoint after another try for the same connection failed.",
                total.get(Event.DIAL_RETRIED));
        families.counter(
                "sluice_dials_failed",
                "Dials that reached no endpoint. endpoint: refused, or not answered in time;"
                        + " forbidden: not tried, since the address must never be dialled;"
                        + " this_node: no descriptor or local port was to be had.",
                byReason(total, Outcomes.DIALS_FAILED));
        families.histogram(
                "sluice_dial_duration_seconds",
                "Time from a dial to the answer of the endpoint, for those that answered.",
                traffic.dialTimes());
        long accepting = served.stream().filter(ServedPort::accepting).count();
        families.gauge(
                "sluice_listeners",
                "Listeners, one a Service port. refusing: it has no endpoint now.",
                List.of(
                        new Sample(Labels.of("state", "accepting"), accepting),
                        new Sample(Labels.of("state", "refusing"), served.size() - accepting)));
    }

    private static List<Sample> byReason(ConnectionCounters counters, List<Event> outcomes) {
        return outcomes.stream()
                .map(
                        outcome ->
                                new Sample(
                                        Labels.of("reason", Outcomes.reason(outcome)),
                                        counters.get(outcome)))
                .toList();
    }
}
