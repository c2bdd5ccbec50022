package dev.sluice.kubernetes;

import dev.sluice.model.Cidr;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeSpec;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Taint;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the proxy reads of the Node (core/v1) that it runs on.
 *
 * <p>Immutable; any thread.
 *
 * @param zone label {@code topology.kubernetes.io/zone}
 * @param podCidrs {@code spec.podCIDRs}
 * @param ineligible why load balancers shall send no more traffic here
 */
record NodeFacts(Optional<String> zone, List<Cidr> podCidrs, Optional<String> ineligible) {
    /** The autoscaler sets it on a Node that it is about to delete (KEP-3836). */
    private static final String TO_BE_DELETED = "ToBeDeletedByClusterAutoscaler";

    NodeFacts {
        podCidrs = List.copyOf(podCidrs);
    }

    static NodeFacts of(Node node, ObjectProblems problems) {
        return new NodeFacts(zone(node), podCidrs(node, problems), ineligible(node));
    }

    private static Optional<String> zone(Node node) {
        @Nullable ObjectMeta metadata = node.getMetadata();
        Map<String, String> labels =
                metadata == null || metadata.getLabels() == null ? Map.of() : metadata.getLabels();
        return Optional.ofNullable(labels.get(WellKnownLabels.ZONE))
                .filter(zone -> !zone.isEmpty());
    }

    private static List<Cidr> podCidrs(Node node, ObjectProblems problems) {
        @Nullable NodeSpec spec = node.getSpec();
        if (spec == null) {
            return List.of();
        }
        List<String> texts = FieldRules.orEmpty(spec.getPodCIDRs());
        if (texts.isEmpty() && spec.getPodCIDR() != null && !spec.getPodCIDR().isEmpty()) {
            texts = List.of(spec.getPodCIDR());
        }
        List<Cidr> ranges = new ArrayList<>();
        for (int i = 0; i < texts.size(); i++) {
            FieldRules.range("spec.podCIDRs[" + i + "]", texts.get(i), problems)
                    .ifPresent(ranges::add);
        }
        return ranges;
    }

    /**
     * What {@code /healthz} of kube-proxy goes by. Neither a cordon nor a Node that is not ready
     * counts: its pods serve on.
     */
    private static Optional<String> ineligible(Node node) {
        @Nullable ObjectMeta metadata = node.getMetadata();
        if (metadata != null && metadata.getDeletionTimestamp() != null) {
            return Optional.of("the Node is deleted since " + metadata.getDeletionTimestamp());
        }
        @Nullable NodeSpec spec = node.getSpec();
        List<Taint> taints = FieldRules.orEmpty(spec == null ? null : spec.getTaints());
        return taints.stream()
                .filter(Objects::nonNull)
                .filter(taint -> TO_BE_DELETED.equals(taint.getKey()))
                .findFirst()
                .map(taint -> "the Node has the taint " + TO_BE_DELETED);
    }
}
