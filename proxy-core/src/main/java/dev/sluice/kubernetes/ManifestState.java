package dev.sluice.kubernetes;

import dev.sluice.model.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What the manifests said when they were read.
 *
 * <p>Immutable; any thread.
 *
 * @param node what they say of the node that the proxy runs on
 * @param problems of what could not be read
 */
record ManifestState(KubernetesObjects objects, Optional<NodeFacts> node, List<Problem> problems) {
    /** Nothing was read. */
    static final ManifestState EMPTY =
            new ManifestState(
                    new KubernetesObjects(List.of(), List.of(), List.of()),
                    Optional.empty(),
                    List.of());

    ManifestState {
        problems = List.copyOf(problems);
    }

    ManifestState with(Problem problem) {
        List<Problem> all = new ArrayList<>(problems);
        all.add(problem);
        return new ManifestState(objects, node, all);
    }
}
