package dev.sluice.kubernetes;

import io.fabric8.kubernetes.api.model.discovery.v1.Endpoint;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointHints;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Where an endpoint is, and for whom it is meant, as one slice says.
 *
 * <p>Immutable; any thread.
 *
 * @param nodeName {@code endpoints[].nodeName}; empty if it is not told
 * @param nodes {@code hints.forNodes}: names of Nodes (KEP-3015)
 * @param zones {@code hints.forZones}: names of zones (KEP-2433)
 */
record EndpointTopology(String nodeName, Set<String> nodes, Set<String> zones) {
    static EndpointTopology onNode(@Nullable String nodeName) {
        return new EndpointTopology(Objects.requireNonNullElse(nodeName, ""), Set.of(), Set.of());
    }

    static EndpointTopology of(Endpoint endpoint) {
        @Nullable EndpointHints hints = endpoint.getHints();
        if (hints == null) {
            return onNode(endpoint.getNodeName());
        }
        return new EndpointTopology(
                Objects.requireNonNullElse(endpoint.getNodeName(), ""),
                names(hints.getForNodes(), node -> node.getName()),
                names(hints.getForZones(), zone -> zone.getName()));
    }

    private static <T> Set<String> names(
            @Nullable List<T> hints, Function<T, @Nullable String> name) {
        return FieldRules.orEmpty(hints).stream()
                .filter(Objects::nonNull)
                .map(name)
                .filter(Objects::nonNull)
                .collect(Collectors.toUnmodifiableSet());
    }

    /**
     * The hints of two slices about one endpoint: for all whom one of them names, or for everybody
     * if one of them names nobody.
     */
    static Set<String> both(Set<String> some, Set<String> others) {
        if (some.isEmpty() || others.isEmpty()) {
            return Set.of();
        }
        Set<String> union = new HashSet<>(some);
        union.addAll(others);
        return Set.copyOf(union);
    }
}
