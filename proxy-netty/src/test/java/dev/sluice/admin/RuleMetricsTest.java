package dev.sluice.admin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.IpFamily;
import dev.sluice.redirect.RuleCounts;
import dev.sluice.stats.DurationHistogram;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RuleMetricsTest {
    @Test
    void rulesAndDeletedFlowsHaveTheNamesOfKubeProxy() throws IOException {
        DurationHistogram passes = new DurationHistogram(Duration.ofMillis(1), 15);
        passes.record(3_000_000);

        assertThat(
                        text(
                                new RuleCounts(
                                        Map.of(
                                                new RuleCounts.Table(IpFamily.IPV4, "nat"), 7,
                                                new RuleCounts.Table(IpFamily.IPV6, "mangle"), 3),
                                        Map.of(new RuleCounts.Table(IpFamily.IPV4, "nat"), 2),
                                        Map.of(IpFamily.IPV4, 1L, IpFamily.IPV6, 0L),
                                        Map.of(IpFamily.IPV4, passes.snapshot()),
                                        Map.of(IpFamily.IPV4, 5L))))
                .contains(
                        "kubeproxy_sync_proxy_rules_iptables_total{ip_family=\"IPv4\",table=\"nat\"} 7.0\n",
                        "kubeproxy_sync_proxy_rules_iptables_total{ip_family=\"IPv6\",table=\"mangle\"} 3.0\n",
                        "kubeproxy_sync_proxy_rules_iptables_last{ip_family=\"IPv4\",table=\"nat\"} 2.0\n",
                        "kubeproxy_sync_proxy_rules_iptables_restore_failures_total{ip_family=\"IPv4\"} 1.0\n",
                        "kubeproxy_conntrack_reconciler_deleted_entries_total{ip_family=\"IPv4\"} 5.0\n",
                        "kubeproxy_conntrack_reconciler_sync_duration_seconds_bucket{ip_family=\"IPv4\",le=\"0.004\"} 1\n",
                        "kubeproxy_conntrack_reconciler_sync_duration_seconds_count{ip_family=\"IPv4\"} 1\n");
    }

    @Test
    void whereNothingRedirectsThereIsNone() throws IOException {
        assertThat(text(RuleCounts.NONE)).isEmpty();
    }

    private static String text(RuleCounts counts) throws IOException {
        Families families = new Families();
        RuleMetrics.add(families, counts);
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        PrometheusTextFormatWriter.create().write(text, new MetricSnapshots(families.all()));
        return text.toString(UTF_8);
    }
}
