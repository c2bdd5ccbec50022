package dev.sluice.kubernetes;

import dev.sluice.kubernetes.EndpointCandidate.State;
import dev.sluice.model.Endpoint;
import dev.sluice.model.IpAddress;
import dev.sluice.model.IpFamily;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Decides which endpoints new connections to a Service port may use: the ready ones; if a family
 * has none, those that terminate but still serve (KEP-1669); else none.
 *
 * <p>A pod on its way from one slice to another stands in both, and a new pod may get the address
 * of one that still ends. So the candidates of one address and port count as one, in the best state
 * of them all, whatever the order in which the slices came. It is on this node if any of them says
 * so, and has the hints of the best.
 *
 * <p>Immutable; any thread.
 */
final class EligibleEndpoints {
    private final NodeContext node;
    private final SortedMap<Endpoint, Merged> merged;

    private EligibleEndpoints(NodeContext node, SortedMap<Endpoint, Merged> merged) {
        this.node = node;
        this.merged = merged;
    }

    static EligibleEndpoints of(Collection<EndpointCandidate> candidates, NodeContext node) {
        SortedMap<Endpoint, Merged> merged = new TreeMap<>();
        for (EndpointCandidate candidate : candidates) {
            merged.merge(candidate.endpoint(), Merged.of(candidate, node), Merged::or);
        }
        return new EligibleEndpoints(node, merged);
    }

    /**
     * Those of the whole cluster, of both families, in ascending order; of ready ones those that
     * topology hints mean for this node, if there are any.
     */
    List<Endpoint> cluster() {
        return eligible(endpoint -> true, this::nearest);
    }

    /** Those on this node, of both families, in ascending order. */
    List<Endpoint> local() {
        return eligible(Merged::local, ready -> ready);
    }

    /** Addresses of ready ones on this node: what a load balancer is told. */
    Set<IpAddress> readyOnNode() {
        return merged.values().stream()
                .filter(endpoint -> endpoint.local && endpoint.state == State.READY)
                .map(endpoint -> endpoint.endpoint.address())
                .collect(Collectors.toUnmodifiableSet());
    }

    private List<Endpoint> eligible(
            Predicate<Merged> where, Function<List<Merged>, List<Merged>> preferred) {
        List<Endpoint> eligible = new ArrayList<>();
        for (IpFamily family : IpFamily.values()) {
            List<Merged> ready = inState(State.READY, family, where);
            (ready.isEmpty()
                            ? inState(State.SERVING_TERMINATING, family, where)
                            : preferred.apply(ready))
                    .forEach(endpoint -> eligible.add(endpoint.endpoint));
        }
        return List.copyOf(eligible);
    }

    private List<Merged> inState(State state, IpFamily family, Predicate<Merged> where) {
        return merged.values().stream()
                .filter(endpoint -> endpoint.state == state)
                .filter(endpoint -> endpoint.endpoint.address().family() == family)
                .filter(where)
                .toList();
    }

    /**
     * Hints count only where all endpoints have them and some are meant for here: those for this
     * node (KEP-3015), else those for its zone (KEP-2433). Otherwise nobody would be served, or
     * endpoints of a controller that knows nothing of hints would be idle.
     */
    private List<Merged> nearest(List<Merged> ready) {
        List<Merged> sameNode =
                ready.stream().filter(endpoint -> endpoint.nodes.contains(node.name())).toList();
        if (!sameNode.isEmpty() && ready.stream().noneMatch(e -> e.nodes.isEmpty())) {
            return sameNode;
        }
        List<Merged> sameZone =
                ready.stream()
                        .filter(
                                endpoint ->
                                        node.zone().filter(endpoint.zones::contains).isPresent())
                        .toList();
        return !sameZone.isEmpty() && ready.stream().noneMatch(e -> e.zones.isEmpty())
                ? sameZone
                : ready;
    }

    /** What all candidates of one address and port come to. */
    private record Merged(
            Endpoint endpoint, State state, boolean local, Set<String> nodes, Set<String> zones) {

        static Merged of(EndpointCandidate candidate, NodeContext node) {
            EndpointTopology topology = candidate.topology();
            return new Merged(
                    candidate.endpoint(),
                    candidate.state(),
                    node.isNamed(topology.nodeName()),
                    topology.nodes(),
                    topology.zones());
        }

        Merged or(Merged other) {
            boolean eitherLocal = local || other.local;
            if (state != other.state) {
                Merged best = state.or(other.state) == state ? this : other;
                return best.withLocal(eitherLocal);
            }
            return new Merged(
                    endpoint,
                    state,
                    eitherLocal,
                    EndpointTopology.both(nodes, other.nodes),
                    EndpointTopology.both(zones, other.zones));
        }

        private Merged withLocal(boolean either) {
            return new Merged(endpoint, state, either, nodes, zones);
        }
    }
}
