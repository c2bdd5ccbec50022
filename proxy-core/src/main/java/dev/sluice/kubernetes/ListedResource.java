package dev.sluice.kubernetes;

import io.fabric8.kubernetes.api.model.Endpoints;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.KubernetesResourceList;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.FilterWatchListDeletable;
import java.util.Optional;
import java.util.function.Function;

/**
 * A list of the API that can be followed. Objects that are meant for a proxy of another name, or
 * for clients of headless Services, are left out by the server.
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
    static final String SERVICES_PATH = "/api/v1/services";
    static final String SLICES_PATH = "/apis/discovery.k8s.io/v1/endpointslices";
    static final String BETA_SLICES_PATH = "/apis/discovery.k8s.io/v1beta1/endpointslices";
    static final String ENDPOINTS_PATH = "/api/v1/endpoints";
    static final String NODES_PATH = "/api/v1/nodes";

    static final String SLICES = "endpointslices";

    private static final String NOT_HEADLESS = "!" + WellKnownLabels.HEADLESS;

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

    static ListedResource<Service> services(Optional<String> proxyName) {
        String selector =
                proxyName
                        .map(name -> WellKnownLabels.SERVICE_PROXY_NAME + "=" + name)
                        .orElse("!" + WellKnownLabels.SERVICE_PROXY_NAME);
        return new ListedResource<>(
                "services",
                SERVICES_PATH,
                client -> client.services().inAnyNamespace().withLabelSelector(selector));
    }

    /** Kubernetes 1.21 and newer. */
    static ListedResource<EndpointSlice> slices(Optional<String> proxyName) {
        return new ListedResource<>(
                SLICES,
                SLICES_PATH,
                client ->
                        client.discovery()
                                .v1()
                                .endpointSlices()
                                .inAnyNamespace()
                                .withLabelSelector(withVip(proxyName)));
    }

    /** Kubernetes 1.17 to 1.24. */
    static ListedResource<io.fabric8.kubernetes.api.model.discovery.v1beta1.EndpointSlice>
            betaSlices(Optional<String> proxyName) {
        return new ListedResource<>(
                SLICES,
                BETA_SLICES_PATH,
                client ->
                        client.discovery()
                                .v1beta1()
                                .endpointSlices()
                                .inAnyNamespace()
                                .withLabelSelector(withVip(proxyName)));
    }

    /** What there was before slices. */
    static ListedResource<Endpoints> endpoints(Optional<String> proxyName) {
        return new ListedResource<>(
                "endpoints",
                ENDPOINTS_PATH,
                client ->
                        client.endpoints().inAnyNamespace().withLabelSelector(withVip(proxyName)));
    }

    /** The one Node of this name. */
    static ListedResource<Node> node(String name) {
        return new ListedResource<>(
                "nodes", NODES_PATH, client -> client.nodes().withField("metadata.name", name));
    }

    /**
     * A controller copies the label from the Service, but nobody does so for slices that a user
     * wrote: a proxy with a name reads them all.
     */
    private static String withVip(Optional<String> proxyName) {
        return proxyName.isPresent()
                ? NOT_HEADLESS
                : "!" + WellKnownLabels.SERVICE_PROXY_NAME + "," + NOT_HEADLESS;
    }
}
