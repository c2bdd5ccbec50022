package dev.sluice.kubernetes;

import dev.sluice.kubernetes.ServiceDefinition.Port;
import dev.sluice.model.IpAddress;
import dev.sluice.model.ServiceName;
import dev.sluice.model.SessionAffinity;
import dev.sluice.model.TrafficPolicy;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceSpec;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checks a Service (core/v1) and takes out what serving it needs.
 *
 * <p>Stateless; any thread.
 */
final class ServiceReader {
    private static final String NO_CLUSTER_IP = "None";
    private static final Set<String> TYPES = Set.of("ClusterIP", "NodePort", "LoadBalancer");

    private ServiceReader() {}

    /** Namespace and name, if both can be used. */
    static Optional<ServiceName> name(Service service, ObjectProblems problems) {
        @Nullable ObjectMeta metadata = service.getMetadata();
        if (metadata == null) {
            problems.add("metadata", null, "is missing");
            return Optional.empty();
        }
        Optional<String> namespace =
                FieldRules.label("metadata.namespace", metadata.getNamespace(), problems);
        Optional<String> name = FieldRules.label("metadata.name", metadata.getName(), problems);
        return namespace.flatMap(ns -> name.map(n -> new ServiceName(ns, n)));
    }

    /**
     * The Service without its endpoints; empty if it is not for this proxy, which is no problem, or
     * if it cannot be served, which is one.
     */
    static Optional<ServiceDefinition> read(
            Service service, ServiceName name, ServiceRules rules, ObjectProblems problems) {
        @Nullable ServiceSpec spec = service.getSpec();
        if (spec == null) {
            problems.add("spec", null, "is missing");
            return Optional.empty();
        }
        if (!isForThisProxy(service.getMetadata(), spec, rules)) {
            return Optional.empty();
        }
        @Nullable String type = spec.getType();
        if (type != null && !TYPES.contains(type)) {
            problems.add(
                    "spec.type",
                    type,
                    "is not one of ClusterIP, NodePort, LoadBalancer, ExternalName");
            return Optional.empty();
        }
        List<IpAddress> clusterIps = clusterIps(spec, problems);
        Optional<SessionAffinity> affinity = affinity(spec, problems);
        // A policy that is not known may ask for less than all endpoints, so none is used.
        Optional<TrafficPolicy> internalPolicy =
                FieldRules.trafficPolicy(
                        "spec.internalTrafficPolicy", spec.getInternalTrafficPolicy(), problems);
        ExternalDefinition external = ExternalReader.read(service, spec, rules, problems);
        List<Port> ports = ServicePortsReader.read(spec, problems);
        if (clusterIps.isEmpty() || affinity.isEmpty() || internalPolicy.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(
                new ServiceDefinition(
                        name,
                        created(service.getMetadata()),
                        clusterIps,
                        affinity.get(),
                        internalPolicy.get(),
                        external,
                        ports));
    }

    /** What kube-proxy leaves to others, by its label selectors and {@code ShouldSkipService}. */
    private static boolean isForThisProxy(
            ObjectMeta metadata, ServiceSpec spec, ServiceRules rules) {
        if (!rules.servesLabels(Objects.requireNonNullElse(metadata.getLabels(), Map.of()))
                || "ExternalName".equals(spec.getType())) {
            return false;
        }
        @Nullable String clusterIp = spec.getClusterIP();
        return !NO_CLUSTER_IP.equals(clusterIp)
                && !"".equals(clusterIp)
                && !FieldRules.orEmpty(spec.getClusterIPs()).contains(NO_CLUSTER_IP);
    }

    private static List<IpAddress> clusterIps(ServiceSpec spec, ObjectProblems problems) {
        List<String> texts = FieldRules.orEmpty(spec.getClusterIPs());
        @Nullable String first = spec.getClusterIP();
        if (texts.isEmpty()) {
            return FieldRules.vip("spec.clusterIP", first, problems).stream().toList();
        }
        if (first != null && !first.equals(texts.get(0))) {
            problems.add("spec.clusterIP", first, "differs from spec.clusterIPs[0]");
            return List.of();
        }
        if (texts.size() > 2) {
            problems.add("spec.clusterIPs", texts.size() + " addresses", "are more than 2");
            return List.of();
        }
        List<IpAddress> addresses = new ArrayList<>();
        for (int i = 0; i < texts.size(); i++) {
            FieldRules.vip("spec.clusterIPs[" + i + "]", texts.get(i), problems)
                    .ifPresent(addresses::add);
        }
        if (addresses.size() < texts.size()) {
            return List.of();
        }
        if (addresses.size() == 2 && addresses.get(0).family() == addresses.get(1).family()) {
            problems.add("spec.clusterIPs[1]", texts.get(1), "is of the same family as the first");
            return List.of();
        }
        return addresses;
    }

    private static Optional<SessionAffinity> affinity(ServiceSpec spec, ObjectProblems problems) {
        @Nullable String affinity = spec.getSessionAffinity();
        if (affinity == null || affinity.isEmpty() || affinity.equals("None")) {
            return Optional.of(SessionAffinity.NONE);
        }
        if (!affinity.equals("ClientIP")) {
            problems.add("spec.sessionAffinity", affinity, "is not one of None, ClientIP");
            return Optional.empty();
        }
        @Nullable Integer seconds = timeoutSeconds(spec);
        if (seconds == null) {
            return Optional.of(
                    new SessionAffinity.ClientIp(SessionAffinity.ClientIp.DEFAULT_TIMEOUT));
        }
        if (seconds < 1 || seconds > 86_400) {
            problems.add(
                    "spec.sessionAffinityConfig.clientIP.timeoutSeconds",
                    seconds,
                    "is not in 1..86400");
            return Optional.empty();
        }
        return Optional.of(new SessionAffinity.ClientIp(Duration.ofSeconds(seconds)));
    }

    private static @Nullable Integer timeoutSeconds(ServiceSpec spec) {
        return Optional.ofNullable(spec.getSessionAffinityConfig())
                .map(config -> config.getClientIP())
                .map(clientIp -> clientIp.getTimeoutSeconds())
                .orElse(null);
    }

    private static Instant created(ObjectMeta metadata) {
        @Nullable String text = metadata.getCreationTimestamp();
        try {
            return text == null ? Instant.MAX : OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeException e) {
            return Instant.MAX;
        }
    }
}
