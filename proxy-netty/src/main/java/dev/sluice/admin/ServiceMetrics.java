package dev.sluice.admin;

import dev.sluice.admin.Families.Sample;
import dev.sluice.affinity.AffinitySelectorFactory;
import dev.sluice.model.ServicePort;
import dev.sluice.model.ServicePortName;
import dev.sluice.model.SessionAffinity;
import dev.sluice.netty.ConnectionCounters;
import dev.sluice.netty.ConnectionCounters.Event;
import dev.sluice.netty.ServedPort;
import dev.sluice.netty.Traffic;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * The same of each Service port. Those that found no place among the ones shown one by one are
 * added up under {@link #OTHER}, also when they are gone, so that no count falls.
 *
 * <p>Threads: the admin loop only.
 */
final class ServiceMetrics {
    private static final String OTHER = "other";

    /** A Service port, or all others, with what is counted of it. */
    private record Row(Labels labels, ConnectionCounters counters, List<ServicePort> ports) {}

    private final AffinitySelectorFactory affinity;

    ServiceMetrics(AffinitySelectorFactory affinity) {
        this.affinity = affinity;
    }

    void add(Families families, Traffic traffic, List<ServedPort> served) {
        List<Row> rows = rows(traffic, served);
        families.counter(
                "sluice_service_connections_opened",
                "Connections taken, by Service port.",
                samples(rows, row -> row.counters().get(Event.ACCEPTED)));
        families.gauge(
                "sluice_service_connections_active",
                "Connections now, by Service port.",
                samples(rows, row -> row.counters().active()));
        families.counter(
                "sluice_service_connections_failed",
                "Connections that never reached an endpoint, by Service port; a reason that has"
                        + " not occurred is left out.",
                happened(rows, Outcomes.FAILED));
        families.counter(
                "sluice_service_connections_broken",
                "Connections that ended otherwise than by the end of both streams, by Service port;"
                        + " a reason that has not occurred is left out.",
                happened(rows, Outcomes.BROKEN));
        families.counter("sluice_service_bytes", "Bytes read, by Service port.", bytes(rows));
        families.counter(
                "sluice_service_dial_retries",
                "Tries to reach an endpoint after another one failed, by Service port.",
                samples(rows, row -> row.counters().get(Event.DIAL_RETRIED)));
        families.gauge(
                "sluice_service_endpoints",
                "Endpoints that new connections may use, by Service port.",
                samples(
                        rows,
                        row -> row.ports().stream().mapToLong(p -> p.endpoints().size()).sum()));
        families.gauge(
                "sluice_service_affinity_entries",
                "Clients that session affinity remembers, by Service port that has it.",
                samples(rows.stream().filter(ServiceMetrics::hasAffinity).toList(), this::pins));
        families.gauge(
                "sluice_affinity_entries",
                "Clients that session affinity remembers, of all Service ports.",
                rows.stream().mapToDouble(this::pins).sum());
    }

    private static List<Row> rows(Traffic traffic, List<ServedPort> served) {
        List<Row> rows = new ArrayList<>();
        List<ServicePort> others = new ArrayList<>();
        for (ServedPort port : served) {
            if (port.hasPlace()) {
                rows.add(
                        new Row(
                                labels(port.servicePort()),
                                port.counters(),
                                List.of(port.servicePort())));
            } else {
                others.add(port.servicePort());
            }
        }
        if (!others.isEmpty() || traffic.others().get(Event.ACCEPTED) > 0) {
            rows.add(new Row(labels(OTHER, OTHER, OTHER, OTHER), traffic.others(), others));
        }
        return rows;
    }

    /** The number of the port where it has no name. */
    private static Labels labels(ServicePort servicePort) {
        ServicePortName name = servicePort.name();
        return labels(
                name.service().namespace(),
                name.service().name(),
                name.port().isEmpty() ? Integer.toString(servicePort.port()) : name.port(),
                name.protocol().name());
    }

    private static Labels labels(String namespace, String service, String port, String protocol) {
        return Labels.of(
                "namespace", namespace, "service", service, "port", port, "protocol", protocol);
    }

    private static List<Sample> samples(List<Row> rows, ToDoubleFunction<Row> value) {
        return rows.stream()
                .map(row -> new Sample(row.labels(), value.applyAsDouble(row)))
                .toList();
    }

    private static List<Sample> happened(List<Row> rows, List<Event> outcomes) {
        List<Sample> samples = new ArrayList<>();
        for (Row row : rows) {
            Outcomes.happened(outcomes, row.counters()::get)
                    .forEach(
                            (reason, times) ->
                                    samples.add(
                                            new Sample(row.labels().add("reason", reason), times)));
        }
        return samples;
    }

    private static List<Sample> bytes(List<Row> rows) {
        List<Sample> samples = new ArrayList<>();
        for (Row row : rows) {
            samples.add(
                    new Sample(
                            row.labels().add("from", "client"), row.counters().bytesFromClients()));
            samples.add(
                    new Sample(
                            row.labels().add("from", "endpoint"),
                            row.counters().bytesFromEndpoints()));
        }
        return samples;
    }

    private static boolean hasAffinity(Row row) {
        return row.ports().stream().anyMatch(p -> p.affinity() instanceof SessionAffinity.ClientIp);
    }

    private double pins(Row row) {
        return row.ports().stream().mapToLong(port -> affinity.pins(port.name())).sum();
    }
}
