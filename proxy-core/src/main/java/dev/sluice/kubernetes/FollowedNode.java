package dev.sluice.kubernetes;

import dev.sluice.control.WatchStatus;
import io.fabric8.kubernetes.api.model.Node;
import java.util.Optional;

/**
 * The Node object of this node, as far as the API server gives it out. Services are served without
 * it, too: then no zone is known, and no load balancer is told to go elsewhere.
 *
 * <p>Threads: {@link #tick} and {@link #close} one at a time; all others any.
 */
final class FollowedNode {
    private final String name;
    private final FollowedList<Node> list;

    FollowedNode(ListFollower follower, String name) {
        this.name = name;
        this.list = follower.follow(ListedResource.node(name));
    }

    /** Whether the Node has been read, or there is no Node to wait for. */
    boolean isComplete() {
        return list.isComplete() || isRefused();
    }

    private boolean isRefused() {
        return list.isForbidden() || list.isAbsent();
    }

    /** What the Node says; empty if it can't be read. */
    Optional<NodeFacts> facts(ObjectProblems problems) {
        Optional<Node> node = list.objects().stream().findFirst();
        if (node.isEmpty()) {
            problems.add(
                    "metadata.name",
                    name,
                    isRefused()
                            ? "can't be read: " + list.status().failure().orElse("no reason given")
                            : "is no Node of the cluster; the setting node.name can name another");
        }
        return node.map(read -> NodeFacts.of(read, problems));
    }

    /** Why load balancers shall send no more traffic to this node. */
    Optional<String> ineligible() {
        return facts(new ObjectProblems(name)).flatMap(NodeFacts::ineligible);
    }

    WatchStatus status() {
        return list.status();
    }

    void tick() {
        list.tick();
    }

    void close() {
        list.close();
    }
}
