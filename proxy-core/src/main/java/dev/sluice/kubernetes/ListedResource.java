package dev.sluice.kubernetes;

import io.fabric8.kubernetes.api.model.Endpoints;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.KubernetesResourceList;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.FilterWatchListDeletable;
import java.util.function.Function;

/**
 * A list of the API that can be followed. Objects that are meant for another proxy or for clients
 * of headless Services are left out by the server.
 *
 * <p>Immutable; any thread.
 *
 * @param name what it is called in metrics and messages
 * @param path of list and watch, all namespaces
 * @param operation the objects that are asked for
 */
record ListedResource<T extends HasMetadata>(
        String name,
        String path,
        Function<
                        KubernetesClient,
                        ? extends
                                FilterWatchListDeletable<T, ? extends KubernetesResourceList<T>, ?>>
                operation) {
    private static final String FOR_US = "!" + WellKnownLabels.SERVICE_PROXY_NAME;
    private static final String FOR_US_WITH_VIP = FOR_US + ",!" + WellKnownLabels.HEADLESS;

    /**
     * The version of the server now, by a consistent read of one object at most.
     *
     * @throws KubernetesClientException if there is no answer
     */
    String versionNow(KubernetesClient client) {
        return String.valueOf(
                operation
                        .apply(client)
                        .list(new ListOptionsBuilder().withLimit(1L).build())
                        .getMetadata()
                        .getResourceVersion());
    }

    static final ListedResource<Service> SERVICES =
            new ListedResource<>(
                    "services",
                    "/api/v1/services",
                    client -> client.services().inAnyNamespace().withLabelSelector(FOR_US));

    /** Kubernetes 1.21 and newer. */
    static final ListedResource<EndpointSlice> SLICES =
            new ListedResource<>(
                    "endpointslices",
                    "/apis/discovery.k8s.io/v1/endpointslices",
                    client ->
                            client.discovery()
                                    .v1()
                                    .endpointSlices()
                                    .inAnyNamespace()
                                    .withLabelSelector(FOR_US_WITH_VIP));

    /** Kubernetes 1.17 to 1.24. */
    static final ListedResource<io.fabric8.kubernetes.api.model.discovery.v1beta1.EndpointSlice>
            BETA_SLICES =
                    new ListedResource<>(
                            "endpointslices",
                            "/apis/discovery.k8s.io/v1beta1/endpointslices",
                            client ->
                                    client.discovery()
                                            .v1beta1()
                                            .endpointSlices()
                                            .inAnyNamespace()
                                            .withLabelSelector(FOR_US_WITH_VIP));

    /** What there was before slices. */
    static final ListedResource<Endpoints> ENDPOINTS =
            new ListedResource<>(
                    "endpoints",
                    "/api/v1/endpoints",
                    client ->
                            client.endpoints().inAnyNamespace().withLabelSelector(FOR_US_WITH_VIP));
}
