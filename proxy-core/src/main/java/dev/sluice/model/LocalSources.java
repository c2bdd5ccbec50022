package dev.sluice.model;

import java.util.List;
import java.util.Set;

/**
 * Which clients are on this node. Theirs is the whole Service also where {@code
 * externalTrafficPolicy} is {@code Local}, as if there were no load balancer between.
 *
 * <p>Immutable; any thread.
 *
 * @param pods where this node's pods have their addresses ({@code detectLocalMode} of kube-proxy),
 *     in ascending order; empty if that is not known
 * @param node addresses of this node
 */
public record LocalSources(List<Cidr> pods, Set<IpAddress> node) {
    /** Nobody is known to be on this node, but for loopback addresses. */
    public static final LocalSources NONE = new LocalSources(List.of(), Set.of());

    public LocalSources {
        pods = pods.stream().sorted().distinct().toList();
        node = Set.copyOf(node);
    }

    public ClientPlace placeOf(IpAddress client) {
        return client.isLoopback()
                        || node.contains(client)
                        || pods.stream().anyMatch(range -> range.contains(client))
                ? ClientPlace.THIS_NODE
                : ClientPlace.ELSEWHERE;
    }
}
