package dev.sluice.kubernetes;

import dev.sluice.kubernetes.CandidatesByPort.Pod;
import dev.sluice.kubernetes.EndpointCandidate.State;
import io.fabric8.kubernetes.api.model.EndpointAddress;
import io.fabric8.kubernetes.api.model.EndpointPort;
import io.fabric8.kubernetes.api.model.EndpointSubset;
import io.fabric8.kubernetes.api.model.Endpoints;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads an Endpoints object (core/v1). Its {@code notReadyAddresses} are never used, and it does
 * not know of terminating ones.
 *
 * <p>Stateless; any thread.
 */
final class EndpointsReader {
    private static final String OVER_CAPACITY = "endpoints.kubernetes.io/over-capacity";

    private EndpointsReader() {}

    static void read(
            Endpoints endpoints,
            LoopbackEndpoints loopback,
            CandidatesByPort candidates,
            ObjectProblems problems) {
        noteOverCapacity(endpoints, problems);
        List<EndpointSubset> subsets = FieldRules.orEmpty(endpoints.getSubsets());
        for (int i = 0; i < subsets.size(); i++) {
            @Nullable EndpointSubset subset = subsets.get(i);
            String field = "subsets[" + i + "]";
            if (subset == null) {
                problems.add(field, null, "is missing");
                continue;
            }
            List<Pod> pods = pods(field, subset, loopback, problems);
            List<EndpointPort> ports = FieldRules.orEmpty(subset.getPorts());
            for (int j = 0; j < ports.size(); j++) {
                @Nullable EndpointPort port = ports.get(j);
                String portField = field + ".ports[" + j + "]";
                if (port == null) {
                    problems.add(portField, null, "is missing");
                    continue;
                }
                String name = Objects.requireNonNullElse(port.getName(), "");
                candidates.add(portField, name, port.getProtocol(), port.getPort(), pods, problems);
            }
        }
    }

    /** Kubernetes keeps 1000 addresses in such an object, and tells so by an annotation. */
    private static void noteOverCapacity(Endpoints endpoints, ObjectProblems problems) {
        @Nullable String capacity =
                Optional.ofNullable(endpoints.getMetadata().getAnnotations())
                        .map(annotations -> annotations.get(OVER_CAPACITY))
                        .orElse(null);
        if (capacity != null) {
            problems.add(
                    "metadata.annotations[" + OVER_CAPACITY + "]",
                    capacity,
                    "means that the Service has more endpoints than are listed here");
        }
    }

    private static List<Pod> pods(
            String field,
            EndpointSubset subset,
            LoopbackEndpoints loopback,
            ObjectProblems problems) {
        List<EndpointAddress> addresses = FieldRules.orEmpty(subset.getAddresses());
        List<Pod> pods = new ArrayList<>();
        for (int i = 0; i < addresses.size(); i++) {
            @Nullable EndpointAddress address = addresses.get(i);
            FieldRules.endpointAddress(
                            field + ".addresses[" + i + "].ip",
                            address == null ? null : address.getIp(),
                            loopback,
                            problems)
                    .ifPresent(
                            ip ->
                                    pods.add(
                                            new Pod(
                                                    ip,
                                                    State.READY,
                                                    EndpointTopology.onNode(
                                                            address == null
                                                                    ? null
                                                                    : address.getNodeName()))));
        }
        return pods;
    }
}
