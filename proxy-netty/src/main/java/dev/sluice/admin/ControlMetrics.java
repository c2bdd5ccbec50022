package dev.sluice.admin;

import dev.sluice.admin.Families.Sample;
import dev.sluice.control.ReconcileStatus;
import dev.sluice.control.SyncTimes;
import dev.sluice.control.WatchStatus;
import dev.sluice.model.Problem;
import io.prometheus.metrics.model.snapshots.Labels;
import java.time.Instant;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * How well the control path keeps up. Where kube-proxy has a metric of the same meaning, it has the
 * same name; the families of addresses are served together, so there is no {@code ip_family}.
 *
 * <p>Threads: the admin loop only.
 */
final class ControlMetrics {
    private static final double MILLIS_PER_SECOND = 1e3;

    private ControlMetrics() {}

    static void add(
            Families families, ReconcileStatus status, SyncTimes syncs, List<WatchStatus> watches) {
        families.histogram(
                "kubeproxy_sync_proxy_rules_duration_seconds",
                "Time of a run of the control path: listeners opened, updated and closed, and rules"
                        + " written or compared with the kernel's.",
                syncs.durations());
        families.gauge(
                "kubeproxy_sync_proxy_rules_last_timestamp_seconds",
                "When a run of the control path last applied everything, Unix time; 0 before.",
                syncs.lastSuccess().map(ControlMetrics::unixTime).orElse(0.0));
        families.gauge(
                "kubeproxy_sync_proxy_rules_last_queued_timestamp_seconds",
                "When a run of the control path was last asked for, Unix time; 0 before.",
                syncs.lastQueued().map(ControlMetrics::unixTime).orElse(0.0));
        families.counter(
                "sluice_sync_failures",
                "Runs of the control path that left something which could not be applied; it is"
                        + " tried again.",
                syncs.failures());
        families.gauge(
                "sluice_rules_in_force",
                "1 if the last look at the redirect rules left them in force, else 0.",
                status.rulesInForce() ? 1 : 0);
        families.gauge(
                "sluice_service_ports_failed",
                "Service ports that are not as they should be; /api/v1/services tells why.",
                status.portFailures().size());
        families.gauge(
                "sluice_quarantined_objects",
                "Objects that were left out, in whole or in part, since they break a rule;"
                        + " /api/v1/services tells which.",
                status.problems().stream().map(Problem::where).distinct().count());
        addWatches(families, watches);
    }

    private static void addWatches(Families families, List<WatchStatus> watches) {
        families.gauge(
                "sluice_watch_age_seconds",
                "Time since the list was last known to be up to date; no series before it was"
                        + " complete for the first time.",
                samples(
                        watches.stream().filter(watch -> watch.age().isPresent()).toList(),
                        watch -> watch.age().map(Families::seconds).orElse(0.0)));
        families.counter(
                "sluice_watch_lists",
                "How often the whole list was read from the API server.",
                samples(watches, WatchStatus::lists));
        families.counter(
                "sluice_watch_failures",
                "How often the list could not be read, or its watch did not begin or broke off.",
                samples(watches, WatchStatus::failures));
    }

    private static List<Sample> samples(
            List<WatchStatus> watches, ToDoubleFunction<WatchStatus> value) {
        return watches.stream()
                .map(
                        watch ->
                                new Sample(
                                        Labels.of("resource", watch.resource()),
                                        value.applyAsDouble(watch)))
                .toList();
    }

    private static double unixTime(Instant time) {
        return time.toEpochMilli() / MILLIS_PER_SECOND;
    }
}
