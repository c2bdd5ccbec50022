package dev.sluice.kubernetes;

import dev.sluice.kubernetes.EndpointCandidate.State;
import dev.sluice.model.Endpoint;
import dev.sluice.model.IpAddress;
import dev.sluice.model.Protocol;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Collects what the slices or the Endpoints of one Service list for each of its ports.
 *
 * <p>Threads: one.
 */
final class CandidatesByPort {
    private final Map<PortKey, List<EndpointCandidate>> candidates = new HashMap<>();

    /**
     * @param wanted the ports of the Service; those of others are not kept
     */
    CandidatesByPort(Collection<PortKey> wanted) {
        wanted.forEach(key -> candidates.put(key, new ArrayList<>()));
    }

    List<EndpointCandidate> of(PortKey port) {
        return List.copyOf(candidates.getOrDefault(port, List.of()));
    }

    /**
     * Adds pods behind one port.
     *
     * @param field the path of the port
     */
    void add(
            String field,
            String name,
            @Nullable String protocolName,
            @Nullable Integer number,
            List<Pod> pods,
            ObjectProblems problems) {
        Optional<Protocol> protocol =
                FieldRules.protocol(field + ".protocol", protocolName, problems);
        Optional<Integer> port = FieldRules.port(field + ".port", number, problems);
        if (protocol.isEmpty() || port.isEmpty()) {
            return;
        }
        @Nullable List<EndpointCandidate> list = candidates.get(new PortKey(name, protocol.get()));
        if (list == null) {
            return;
        }
        for (Pod pod : pods) {
            list.add(
                    new EndpointCandidate(
                            new Endpoint(pod.address, port.get()), pod.state, pod.topology));
        }
    }

    /** An endpoint without its port. */
    record Pod(IpAddress address, State state, EndpointTopology topology) {}
}
