package dev.sluice.kubernetes;

import io.fabric8.kubernetes.api.model.discovery.v1.Endpoint;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointHintsBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointPortBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSliceBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.ForZone;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * EndpointSlices of {@code discovery.k8s.io/v1beta1} (Kubernetes 1.17 to 1.24) as those of {@code
 * v1}, with the defaults and renames of the API server's own conversion.
 *
 * <p>Threads: one at a time.
 */
final class BetaSlices {
    private static final String HOSTNAME = "kubernetes.io/hostname";

    private IdentityHashMap<
                    io.fabric8.kubernetes.api.model.discovery.v1beta1.EndpointSlice, EndpointSlice>
            converted = new IdentityHashMap<>();

    /** Those that were there the last time are not converted again. */
    List<EndpointSlice> convert(
            List<io.fabric8.kubernetes.api.model.discovery.v1beta1.EndpointSlice> slices) {
        IdentityHashMap<
                        io.fabric8.kubernetes.api.model.discovery.v1beta1.EndpointSlice,
                        EndpointSlice>
                now = new IdentityHashMap<>();
        List<EndpointSlice> result =
                slices.stream()
                        .map(
                                slice ->
                                        now.computeIfAbsent(
                                                slice,
                                                s ->
                                                        Objects.requireNonNullElseGet(
                                                                converted.get(s),
                                                                () -> convert(s))))
                        .toList();
        converted = now;
        return result;
    }

    private static EndpointSlice convert(
            io.fabric8.kubernetes.api.model.discovery.v1beta1.EndpointSlice slice) {
        return new EndpointSliceBuilder()
                .withMetadata(slice.getMetadata())
                .withAddressType(slice.getAddressType())
                .withEndpoints(
                        list(slice.getEndpoints()).stream().map(BetaSlices::endpoint).toList())
                .withPorts(
                        list(slice.getPorts()).stream()
                                .map(
                                        port ->
                                                new EndpointPortBuilder()
                                                        .withName(port.getName())
                                                        .withPort(port.getPort())
                                                        .withProtocol(port.getProtocol())
                                                        .withAppProtocol(port.getAppProtocol())
                                                        .build())
                                .toList())
                .build();
    }

    private static Endpoint endpoint(
            io.fabric8.kubernetes.api.model.discovery.v1beta1.Endpoint endpoint) {
        Map<String, String> topology =
                Objects.requireNonNullElse(endpoint.getTopology(), Map.<String, String>of());
        EndpointBuilder builder =
                new EndpointBuilder()
                        .withAddresses(list(endpoint.getAddresses()))
                        .withHostname(endpoint.getHostname())
                        .withTargetRef(endpoint.getTargetRef())
                        .withNodeName(
                                endpoint.getNodeName() == null
                                        ? topology.get(HOSTNAME)
                                        : endpoint.getNodeName())
                        .withZone(topology.get(WellKnownLabels.ZONE));
        if (endpoint.getConditions() != null) {
            builder.withNewConditions()
                    .withReady(endpoint.getConditions().getReady())
                    .withServing(endpoint.getConditions().getServing())
                    .withTerminating(endpoint.getConditions().getTerminating())
                    .endConditions();
        }
        if (endpoint.getHints() != null) {
            builder.withHints(
                    new EndpointHintsBuilder()
                            .withForZones(
                                    list(endpoint.getHints().getForZones()).stream()
                                            .map(zone -> new ForZone(zone.getName()))
                                            .toList())
                            .build());
        }
        return builder.build();
    }

    private static <T> List<T> list(@Nullable List<T> items) {
        return items == null ? List.of() : items.stream().filter(Objects::nonNull).toList();
    }
}
