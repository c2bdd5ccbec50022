package dev.sluice.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.Endpoint;
import dev.sluice.model.ExternalAccess;
import dev.sluice.model.IpAddress;
import dev.sluice.model.ServicePort;
import dev.sluice.model.SessionAffinity;
import dev.sluice.model.TrafficPolicy;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The names that dashboards made for kube-proxy ask for. */
@Timeout(60)
class KubeProxyMetricsTest {
    private static final String PREFIX = "kubeproxy_sync_proxy_rules_";

    private static ServicePort local(String name, String clusterIp, boolean here) {
        Endpoint endpoint = new Endpoint(IpAddress.parse("127.0.0.1"), 9);
        return new ServicePort(
                WatchedProxy.name(name),
                List.of(IpAddress.parse(clusterIp)),
                80,
                SessionAffinity.NONE,
                List.of(endpoint),
                here ? List.of(endpoint) : List.of(),
                TrafficPolicy.LOCAL,
                ExternalAccess.NONE);
    }

    @Test
    void theNamesUnitsAndBucketsAreThoseOfKubeProxy() throws Exception {
        try (WatchedProxy proxy = WatchedProxy.start()) {
            Map<String, Double> metrics = proxy.metrics();

            assertThat(metrics)
                    .containsKeys(
                            PREFIX + "duration_seconds_bucket{le=\"0.001\"}",
                            PREFIX + "duration_seconds_bucket{le=\"16.384\"}",
                            PREFIX + "last_timestamp_seconds",
                            PREFIX + "last_queued_timestamp_seconds")
                    .containsEntry(PREFIX + "service_changes_total", 0.0)
                    .containsEntry(PREFIX + "service_changes_pending", 0.0)
                    .containsEntry(PREFIX + "endpoint_changes_total", 0.0)
                    .containsEntry(PREFIX + "endpoint_changes_pending", 0.0);
            String programming = "kubeproxy_network_programming_duration_seconds_";
            assertThat(metrics)
                    .containsKeys(
                            programming + "bucket{le=\"0.25\"}",
                            programming + "bucket{le=\"59.0\"}",
                            programming + "bucket{le=\"115.0\"}",
                            programming + "bucket{le=\"300.0\"}",
                            programming + "bucket{le=\"+Inf\"}")
                    .as("nothing is timed that had no date")
                    .containsEntry(programming + "count", 0.0);
            assertThat(metrics.keySet())
                    .as("no health server, so nobody has asked it")
                    .noneMatch(series -> series.startsWith("kubeproxy_proxy_healthz"));
        }
    }

    @Test
    void servicePortsWhosePolicyLeavesThemNoEndpointAreCounted() throws Exception {
        try (WatchedProxy proxy =
                WatchedProxy.start(
                        local("here", "192.0.2.1", true), local("elsewhere", "192.0.2.2", false))) {
            String name = PREFIX + "no_local_endpoints_total{ip_family=";
            assertThat(proxy.metrics())
                    .containsEntry(name + "\"IPv4\",traffic_policy=\"internal\"}", 1.0)
                    .containsEntry(name + "\"IPv6\",traffic_policy=\"internal\"}", 0.0)
                    .containsEntry(name + "\"IPv4\",traffic_policy=\"external\"}", 0.0);
        }
    }
}
