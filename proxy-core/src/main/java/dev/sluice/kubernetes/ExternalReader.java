package dev.sluice.kubernetes;

import dev.sluice.model.Cidr;
import dev.sluice.model.IpAddress;
import dev.sluice.model.SourceRanges;
import dev.sluice.model.TrafficPolicy;
import io.fabric8.kubernetes.api.model.LoadBalancerIngress;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Takes out of a Service what concerns clients that do not ask for its ClusterIPs. What is wrong
 * with it closes the way that it belongs to, and no other.
 *
 * <p>Stateless; any thread.
 */
final class ExternalReader {
    /** Far above any real Service; each one costs a front end for every port. */
    private static final int MOST_ADDRESSES = 64;

    private static final String LOAD_BALANCER = "LoadBalancer";

    private ExternalReader() {}

    static ExternalDefinition read(
            Service service, ServiceSpec spec, ServiceRules rules, ObjectProblems problems) {
        Optional<TrafficPolicy> policy =
                FieldRules.trafficPolicy(
                        "spec.externalTrafficPolicy", spec.getExternalTrafficPolicy(), problems);
        if (policy.isEmpty()) {
            return ExternalDefinition.CLOSED;
        }
        boolean isLoadBalancer = LOAD_BALANCER.equals(spec.getType());
        return new ExternalDefinition(
                true,
                isLoadBalancer ? loadBalancerIps(service, problems) : List.of(),
                externalIps(spec, rules, problems),
                policy.get(),
                sourceRanges(spec, problems),
                isLoadBalancer && policy.get() == TrafficPolicy.LOCAL
                        ? FieldRules.optionalPort(
                                "spec.healthCheckNodePort", spec.getHealthCheckNodePort(), problems)
                        : 0);
    }

    private static List<IpAddress> loadBalancerIps(Service service, ObjectProblems problems) {
        List<LoadBalancerIngress> ingress =
                Optional.ofNullable(service.getStatus())
                        .map(status -> status.getLoadBalancer())
                        .map(loadBalancer -> loadBalancer.getIngress())
                        .orElse(List.of());
        List<IpAddress> addresses = new ArrayList<>();
        for (int i = 0; i < atMost(ingress, "status.loadBalancer.ingress", problems); i++) {
            @Nullable LoadBalancerIngress entry = ingress.get(i);
            String field = "status.loadBalancer.ingress[" + i + "]";
            if (entry == null) {
                problems.add(field, null, "is missing");
            } else if (isVip(field, entry, problems)) {
                FieldRules.vip(field + ".ip", entry.getIp(), problems).ifPresent(addresses::add);
            }
        }
        return addresses;
    }

    /** KEP-1860: traffic to any other address goes to the load balancer itself. */
    private static boolean isVip(String field, LoadBalancerIngress entry, ObjectProblems problems) {
        @Nullable String mode = entry.getIpMode();
        if (entry.getIp() == null || entry.getIp().isEmpty()) {
            if (mode != null) {
                problems.add(field + ".ipMode", mode, "is set without ip");
            }
            return false;
        }
        if (mode != null && !mode.equals("VIP") && !mode.equals("Proxy")) {
            problems.add(field + ".ipMode", mode, "is not one of VIP, Proxy");
            return false;
        }
        return mode == null || mode.equals("VIP");
    }

    private static List<IpAddress> externalIps(
            ServiceSpec spec, ServiceRules rules, ObjectProblems problems) {
        List<String> texts = FieldRules.orEmpty(spec.getExternalIPs());
        List<IpAddress> addresses = new ArrayList<>();
        for (int i = 0; i < atMost(texts, "spec.externalIPs", problems); i++) {
            String field = "spec.externalIPs[" + i + "]";
            @Nullable String text = texts.get(i);
            Optional<IpAddress> address = FieldRules.vip(field, text, problems);
            if (address.isEmpty()) {
                continue;
            }
            if (rules.servesExternalIp(address.get())) {
                addresses.add(address.get());
            } else {
                problems.add(field, text, "is in no range of the setting services.external-ips");
            }
        }
        return addresses;
    }

    private static int atMost(List<?> addresses, String field, ObjectProblems problems) {
        if (addresses.size() > MOST_ADDRESSES) {
            problems.add(
                    field,
                    addresses.size() + " addresses",
                    "are more than " + MOST_ADDRESSES + ", and the others are left out");
        }
        return Math.min(addresses.size(), MOST_ADDRESSES);
    }

    /** An entry that can't be read allows nobody, and neither does a list of such entries. */
    private static SourceRanges sourceRanges(ServiceSpec spec, ObjectProblems problems) {
        List<String> texts = FieldRules.orEmpty(spec.getLoadBalancerSourceRanges());
        if (texts.isEmpty()) {
            return SourceRanges.ANY;
        }
        List<Cidr> ranges = new ArrayList<>();
        for (int i = 0; i < texts.size(); i++) {
            FieldRules.range("spec.loadBalancerSourceRanges[" + i + "]", texts.get(i), problems)
                    .ifPresent(ranges::add);
        }
        return SourceRanges.only(ranges);
    }
}
