package dev.sluice.kubernetes;

import io.fabric8.kubernetes.api.model.APIGroup;
import io.fabric8.kubernetes.api.model.APIGroupList;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The forms in which an API server lists endpoints, best first. */
enum EndpointApi {
    /** {@code discovery.k8s.io/v1}: Kubernetes 1.21 and newer. */
    SLICES,
    /** {@code discovery.k8s.io/v1beta1}: 1.17 to 1.24. */
    BETA_SLICES,
    /** Endpoints of core/v1: all before. */
    ENDPOINTS;

    private static final String GROUP = "discovery.k8s.io";
    private static final int FORBIDDEN = 403;

    /**
     * Asks the API server.
     *
     * @throws KubernetesClientException if there is no answer
     */
    static EndpointApi of(KubernetesClient client) {
        @Nullable APIGroup group;
        try {
            group = client.getApiGroup(GROUP);
        } catch (KubernetesClientException e) {
            if (e.getCode() == FORBIDDEN) {
                // Whoever may not ask finds out by the list itself.
                return SLICES;
            }
            throw e;
        }
        if (group == null) {
            return withoutGroup(client);
        }
        Set<String> versions =
                group.getVersions().stream()
                        .map(version -> String.valueOf(version.getVersion()))
                        .collect(Collectors.toSet());
        if (versions.contains("v1")) {
            return SLICES;
        }
        return versions.contains("v1beta1") ? BETA_SLICES : ENDPOINTS;
    }

    /** A 404 may come from something in front of the API server: its list of groups decides. */
    private static EndpointApi withoutGroup(KubernetesClient client) {
        @Nullable APIGroupList groups = client.getApiGroups();
        if (groups == null || groups.getGroups().isEmpty()) {
            throw new KubernetesClientException("it has no API groups, so it is no API server yet");
        }
        if (groups.getGroups().stream().anyMatch(each -> GROUP.equals(each.getName()))) {
            throw new KubernetesClientException("it says that it has " + GROUP + " and has not");
        }
        return ENDPOINTS;
    }
}
