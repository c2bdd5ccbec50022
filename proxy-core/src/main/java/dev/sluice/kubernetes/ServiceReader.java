package dev.sluice.kubernetes;

import dev.sluice.kubernetes.ServiceDefinition.Port;
import dev.sluice.model.IpAddress;
import dev.sluice.model.Protocol;
import dev.sluice.model.ServiceName;
import dev.sluice.model.SessionAffinity;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.fabric8.kubernetes.api.model.ServiceSpec;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashSet;
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
            Service service, ServiceName name, ObjectProblems problems) {
        @Nullable ServiceSpec spec = service.getSpec();
        if (spec == null) {
            problems.add("spec", null, "is missing");
            return Optional.empty();
        }
        if (!isForThisProxy(service.getMetadata(), spec)) {
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
        List<Port> ports = ports(spec, problems);
        if (clusterIps.isEmpty() || affinity.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(
                new ServiceDefinition(
                        name, created(service.getMetadata()), clusterIps, affinity.get(), ports));
    }

    /** What kube-proxy leaves to others, by its label selectors and {@code ShouldSkipService}. */
    private static boolean isForThisProxy(ObjectMeta metadata, ServiceSpec spec) {
        @Nullable Map<String, String> labels = metadata.getLabels();
        if (labels != null
                && (labels.containsKey(WellKnownLabels.SERVICE_PROXY_NAME)
                        || labels.containsKey(WellKnownLabels.HEADLESS))) {
            return false;
        }
        if ("ExternalName".equals(spec.getType())) {
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
            return FieldRules.clusterIp("spec.clusterIP", first, problems).stream().toList();
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
            FieldRules.clusterIp("spec.clusterIPs[" + i + "]", texts.get(i), problems)
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

    private static List<Port> ports(ServiceSpec spec, ObjectProblems problems) {
        List<ServicePort> all = FieldRules.orEmpty(spec.getPorts());
        if (all.isEmpty()) {
            problems.add("spec.ports", null, "is missing");
        }
        List<Port> served = new ArrayList<>();
        Set<PortKey> names = new HashSet<>();
        for (int i = 0; i < all.size(); i++) {
            @Nullable ServicePort port = all.get(i);
            String field = "spec.ports[" + i + "]";
            if (port == null) {
                problems.add(field, null, "is missing");
                continue;
            }
            Optional<PortKey> key = key(field, port, all.size(), problems);
            if (key.isPresent() && !names.add(key.get())) {
                problems.add(field + ".name", port.getName(), "is the name of another port, too");
                continue;
            }
            Optional<Integer> number = FieldRules.port(field + ".port", port.getPort(), problems);
            if (key.isPresent()
                    && number.isPresent()
                    && isServed(field, key.get().protocol(), problems)) {
                served.add(new Port(i, key.get(), number.get()));
            }
        }
        return served;
    }

    private static Optional<PortKey> key(
            String field, ServicePort port, int ports, ObjectProblems problems) {
        Optional<Protocol> protocol =
                FieldRules.protocol(field + ".protocol", port.getProtocol(), problems);
        String name = Objects.requireNonNullElse(port.getName(), "");
        if (name.isEmpty() && ports > 1) {
            problems.add(field + ".name", null, "is missing; with more than one port each has one");
            return Optional.empty();
        }
        if (!name.isEmpty() && FieldRules.label(field + ".name", name, problems).isEmpty()) {
            return Optional.empty();
        }
        return protocol.map(known -> new PortKey(name, known));
    }

    /** The one place that says which protocols the proxy carries. */
    private static boolean isServed(String field, Protocol protocol, ObjectProblems problems) {
        return switch (protocol) {
            case TCP -> true;
            case UDP -> {
                problems.add(field + ".protocol", protocol, "is not served yet");
                yield false;
            }
            case SCTP -> {
                problems.add(field + ".protocol", protocol, "is not proxied");
                yield false;
            }
        };
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
