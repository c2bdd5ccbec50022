package dev.sluice.admin;

import dev.sluice.admin.Families.Sample;
import dev.sluice.model.IpFamily;
import dev.sluice.redirect.RuleCounts;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/**
 * Rules in the kernel and what was done to connection tracking, by the names of kube-proxy. Nothing
 * is shown where nothing redirects.
 *
 * <p>Threads: the admin loop only.
 */
final class RuleMetrics {
    private static final String PREFIX = "kubeproxy_sync_proxy_rules_iptables_";
    private static final String TRACKING = "kubeproxy_conntrack_reconciler_";

    private RuleMetrics() {}

    static void add(Families families, RuleCounts rules) {
        families.gauge(PREFIX + "total", "Rules of Sluice in the kernel.", samples(rules.owned()));
        families.gauge(
                PREFIX + "last", "Rules written by the last write.", samples(rules.lastWritten()));
        families.counter(
                PREFIX + "restore_failures",
                "Writes of rules that failed.",
                byFamily(rules.failedWrites()));
        families.counter(
                TRACKING + "deleted_entries",
                "Kinds of connection tracking entry deleted since they led elsewhere than the rules"
                        + " do.",
                byFamily(rules.trackingDeleted()));
        families.histogram(
                TRACKING + "sync_duration_seconds",
                "Time that a look at connection tracking took.",
                "ip_family",
                families(rules.trackingPasses()).toList(),
                KubeProxyMetrics::name,
                rules.trackingPasses()::get);
    }

    private static List<Sample> samples(Map<RuleCounts.Table, Integer> counts) {
        return counts.entrySet().stream()
                .map(
                        entry ->
                                new Sample(
                                        Labels.of(
                                                "ip_family",
                                                KubeProxyMetrics.name(entry.getKey().family()),
                                                "table",
                                                entry.getKey().name()),
                                        entry.getValue().longValue()))
                .sorted(Comparator.comparing(Sample::labels))
                .toList();
    }

    private static List<Sample> byFamily(Map<IpFamily, Long> counts) {
        ToLongFunction<IpFamily> count = family -> counts.getOrDefault(family, 0L);
        return families(counts)
                .map(
                        family ->
                                new Sample(
                                        Labels.of("ip_family", KubeProxyMetrics.name(family)),
                                        count.applyAsLong(family)))
                .toList();
    }

    private static Stream<IpFamily> families(Map<IpFamily, ?> counts) {
        return counts.keySet().stream().sorted();
    }
}
