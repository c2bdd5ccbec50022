package dev.sluice.kubernetes;

import io.fabric8.kubernetes.api.model.Endpoints;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * All that a snapshot is built from.
 *
 * <p>Immutable as long as nobody changes the objects, which the caller answers for; any thread.
 *
 * @param services core/v1
 * @param slices discovery.k8s.io/v1; more than one of one name is a union
 * @param endpoints core/v1, used for Services without any slice only
 * @param where names the place of an object in a {@link dev.sluice.model.Problem}; asked on the
 *     thread that builds, and only about these objects
 */
public record KubernetesObjects(
        Collection<Service> services,
        Collection<EndpointSlice> slices,
        Collection<Endpoints> endpoints,
        Function<? super HasMetadata, String> where) {

    public KubernetesObjects {
        services = withoutNulls(services);
        slices = withoutNulls(slices);
        endpoints = withoutNulls(endpoints);
    }

    /** Objects that are named by kind, namespace and name. */
    public KubernetesObjects(
            Collection<Service> services,
            Collection<EndpointSlice> slices,
            Collection<Endpoints> endpoints) {
        this(services, slices, endpoints, KubernetesObjects::describe);
    }

    /** {@code Service default/web}, {@code Node a}; what is absent is a question mark. */
    static String describe(HasMetadata object) {
        @Nullable ObjectMeta metadata = object.getMetadata();
        if (object instanceof Node) {
            return "Node " + (metadata == null ? "?" : orQuestionMark(metadata.getName()));
        }
        return kind(object)
                + " "
                + (metadata == null ? "?" : orQuestionMark(metadata.getNamespace()))
                + "/"
                + (metadata == null ? "?" : orQuestionMark(metadata.getName()));
    }

    /** Not what the object says of itself, which may be absent or wrong. */
    private static String kind(HasMetadata object) {
        if (object instanceof Service) {
            return "Service";
        }
        return object instanceof EndpointSlice ? "EndpointSlice" : "Endpoints";
    }

    private static String orQuestionMark(@Nullable String text) {
        return text == null || text.isEmpty() ? "?" : text;
    }

    private static <T> List<T> withoutNulls(Collection<T> objects) {
        return objects.stream().filter(Objects::nonNull).toList();
    }
}
