package dev.sluice.admin;

import dev.sluice.admin.Families.Sample;
import dev.sluice.control.ChangeCounts;
import dev.sluice.control.SyncTimes;
import dev.sluice.model.Answer;
import dev.sluice.model.ClientPlace;
import dev.sluice.model.FrontEndKind;
import dev.sluice.model.IpFamily;
import dev.sluice.model.ServicePort;
import dev.sluice.netty.ServedPort;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * What kube-proxy shows beside the {@linkplain ControlMetrics times of its runs}, by the same names
 * and in the same units, for dashboards and alerts that are there. A label {@code ip_family} stands
 * where the families are served apart.
 *
 * <p>Threads: the admin loop only.
 */
final class KubeProxyMetrics {
    private static final String PREFIX = "kubeproxy_sync_proxy_rules_";
    private static final Set<FrontEndKind> INTERNAL = Set.of(FrontEndKind.CLUSTER_IP);
    private static final Set<FrontEndKind> EXTERNAL =
            Set.of(FrontEndKind.NODE_PORT, FrontEndKind.LOAD_BALANCER_IP, FrontEndKind.EXTERNAL_IP);

    private KubeProxyMetrics() {}

    static void add(
            Families families, SyncTimes syncs, ChangeCounts seen, List<ServedPort> served) {
        families.histogram(
                "kubeproxy_network_programming_duration_seconds",
                "Time from a change of endpoints, as their last-change-trigger-time says, until its"
                        + " rules were in force here.",
                syncs.programmingTimes());
        // Read after what was seen, it may be ahead of that.
        ChangeCounts applied = syncs.appliedChanges();
        families.counter(PREFIX + "service_changes", "Changes of Services seen.", seen.services());
        families.gauge(
                PREFIX + "service_changes_pending",
                "Changes of Services that are not in force yet.",
                Math.max(0, seen.services() - applied.services()));
        families.counter(
                PREFIX + "endpoint_changes", "Changes of endpoints seen.", seen.endpoints());
        families.gauge(
                PREFIX + "endpoint_changes_pending",
                "Changes of endpoints that are not in force yet.",
                Math.max(0, seen.endpoints() - applied.endpoints()));
        List<Sample> withoutLocal = new ArrayList<>();
        for (IpFamily family : IpFamily.values()) {
            withoutLocal.add(withoutLocal(family, "external", EXTERNAL, served));
            withoutLocal.add(withoutLocal(family, "internal", INTERNAL, served));
        }
        families.gauge(
                PREFIX + "no_local_endpoints_total",
                "Service ports whose traffic policy is Local and that have endpoints, but none on"
                        + " this node, so that clients hear nothing.",
                withoutLocal);
    }

    private static Sample withoutLocal(
            IpFamily family, String policy, Set<FrontEndKind> kinds, List<ServedPort> served) {
        long count =
                served.stream()
                        .filter(port -> isDropped(port.servicePort(), family, kinds))
                        .count();
        return new Sample(Labels.of("ip_family", name(family), "traffic_policy", policy), count);
    }

    private static boolean isDropped(
            ServicePort servicePort, IpFamily family, Set<FrontEndKind> kinds) {
        return servicePort.kinds().entrySet().stream()
                .filter(entry -> entry.getKey().address().family() == family)
                .filter(entry -> kinds.contains(entry.getValue()))
                .anyMatch(
                        entry ->
                                servicePort.answer(entry.getValue(), family, ClientPlace.ELSEWHERE)
                                        == Answer.DROP);
    }

    /** As kube-proxy writes the families in its labels. */
    static String name(IpFamily family) {
        return family == IpFamily.IPV4 ? "IPv4" : "IPv6";
    }

    static void addHealth(Families families, HealthSite site) {
        families.counter(
                "kubeproxy_proxy_healthz",
                "Answers of /healthz at health.address.",
                site.healthz().samples());
        families.counter(
                "kubeproxy_proxy_livez",
                "Answers of /livez at health.address.",
                site.livez().samples());
    }
}
