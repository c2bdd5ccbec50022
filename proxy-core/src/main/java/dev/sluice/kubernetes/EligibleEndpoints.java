package dev.sluice.kubernetes;

import dev.sluice.kubernetes.EndpointCandidate.State;
import dev.sluice.model.Endpoint;
import dev.sluice.model.IpFamily;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Decides which endpoints new connections to a Service port may use: the ready ones; if a family
 * has none, those that terminate but still serve (KEP-1669); else none.
 *
 * <p>A pod on its way from one slice to another stands in both, and a new pod may get the address
 * of one that still ends. So the candidates of one address and port count as one, in the best state
 * of them all, whatever the order in which the slices came.
 *
 * <p>Stateless; any thread.
 */
final class EligibleEndpoints {
    private EligibleEndpoints() {}

    /** The endpoints of both families, each once, in ascending order. */
    static List<Endpoint> of(Collection<EndpointCandidate> candidates) {
        SortedMap<Endpoint, State> states = new TreeMap<>();
        for (EndpointCandidate candidate : candidates) {
            states.merge(candidate.endpoint(), candidate.state(), State::or);
        }
        List<Endpoint> eligible = new ArrayList<>();
        for (IpFamily family : IpFamily.values()) {
            List<Endpoint> ready = inState(State.READY, family, states);
            eligible.addAll(
                    ready.isEmpty() ? inState(State.SERVING_TERMINATING, family, states) : ready);
        }
        return List.copyOf(eligible);
    }

    private static List<Endpoint> inState(
            State state, IpFamily family, SortedMap<Endpoint, State> states) {
        return states.entrySet().stream()
                .filter(entry -> entry.getValue() == state)
                .map(entry -> entry.getKey())
                .filter(endpoint -> endpoint.address().family() == family)
                .toList();
    }
}
