package dev.sluice.kubernetes;

import dev.sluice.kubernetes.CandidatesByPort.Pod;
import dev.sluice.kubernetes.EndpointCandidate.State;
import dev.sluice.model.IpAddress;
import dev.sluice.model.IpFamily;
import io.fabric8.kubernetes.api.model.discovery.v1.Endpoint;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointPort;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads an EndpointSlice (discovery.k8s.io/v1).
 *
 * <p>Stateless; any thread.
 */
final class EndpointSliceReader {
    /** What the API server accepts in one slice. */
    private static final int MOST_ENDPOINTS = 1000;

    private EndpointSliceReader() {}

    static void read(
            EndpointSlice slice,
            LoopbackEndpoints loopback,
            CandidatesByPort candidates,
            ObjectProblems problems) {
        @Nullable String type = slice.getAddressType();
        if ("FQDN".equals(type)) {
            return;
        }
        if (!"IPv4".equals(type) && !"IPv6".equals(type)) {
            problems.add("addressType", type, "is not one of IPv4, IPv6, FQDN");
            return;
        }
        IpFamily family = type.equals("IPv4") ? IpFamily.IPV4 : IpFamily.IPV6;
        List<Pod> pods = pods(slice, family, loopback, problems);
        List<EndpointPort> ports = FieldRules.orEmpty(slice.getPorts());
        for (int i = 0; i < ports.size(); i++) {
            @Nullable EndpointPort port = ports.get(i);
            String field = "ports[" + i + "]";
            // The unnamed port is named "" here; no name at all would mean every port.
            if (port == null || port.getName() == null) {
                problems.add(field + ".name", null, "is missing");
                continue;
            }
            candidates.add(
                    field, port.getName(), port.getProtocol(), port.getPort(), pods, problems);
        }
    }

    private static List<Pod> pods(
            EndpointSlice slice,
            IpFamily family,
            LoopbackEndpoints loopback,
            ObjectProblems problems) {
        List<Endpoint> endpoints = FieldRules.orEmpty(slice.getEndpoints());
        if (endpoints.size() > MOST_ENDPOINTS) {
            problems.add(
                    "endpoints",
                    endpoints.size() + " endpoints",
                    "are more than the " + MOST_ENDPOINTS + " of the API; they are used");
        }
        List<Pod> pods = new ArrayList<>();
        for (int i = 0; i < endpoints.size(); i++) {
            @Nullable Endpoint endpoint = endpoints.get(i);
            if (endpoint == null) {
                problems.add("endpoints[" + i + "]", null, "is missing");
                continue;
            }
            // All addresses of one endpoint are the same pod; the API says to use the first.
            String field = "endpoints[" + i + "].addresses[0]";
            List<String> addresses = FieldRules.orEmpty(endpoint.getAddresses());
            @Nullable String text = addresses.isEmpty() ? null : addresses.get(0);
            Optional<IpAddress> address =
                    FieldRules.endpointAddress(field, text, loopback, problems);
            if (address.isEmpty()) {
                continue;
            }
            if (address.get().family() != family) {
                problems.add(field, text, "is not of addressType " + slice.getAddressType());
                continue;
            }
            pods.add(
                    new Pod(
                            address.get(),
                            State.of(endpoint.getConditions()),
                            EndpointTopology.of(endpoint)));
        }
        return pods;
    }
}
