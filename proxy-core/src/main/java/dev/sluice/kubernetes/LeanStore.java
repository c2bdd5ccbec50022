package dev.sluice.kubernetes;

import io.fabric8.kubernetes.api.model.Endpoints;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.discovery.v1.Endpoint;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.client.informers.cache.Cache;
import io.fabric8.kubernetes.client.informers.cache.ItemStore;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The objects of an informer without what nobody here reads: who changed which field when, what
 * clients have noted about them, and which pod is behind an endpoint. That is more than half of
 * them, and a cluster has 100,000 endpoints.
 *
 * <p>Threads: one writes, any read.
 */
final class LeanStore<T extends HasMetadata> implements ItemStore<T> {
    /** Of annotations, only those of the controllers of endpoints are read. */
    private static final String READ_ANNOTATIONS = "endpoints.kubernetes.io/";

    private final Map<String, T> objects = new ConcurrentHashMap<>();

    @Override
    public String getKey(T object) {
        return Cache.metaNamespaceKeyFunc(object);
    }

    @Override
    public @Nullable T put(String key, T object) {
        strip(object);
        return objects.put(key, object);
    }

    /** Takes out of an object what nobody reads. Whoever reads more must keep it here. */
    static void strip(HasMetadata object) {
        if (object.getMetadata() != null) {
            strip(object.getMetadata());
        }
        if (object instanceof EndpointSlice slice) {
            present(slice.getEndpoints()).forEach(LeanStore::strip);
        } else if (object
                instanceof io.fabric8.kubernetes.api.model.discovery.v1beta1.EndpointSlice slice) {
            present(slice.getEndpoints()).forEach(endpoint -> endpoint.setTargetRef(null));
        } else if (object instanceof Endpoints endpoints) {
            present(endpoints.getSubsets())
                    .flatMap(
                            subset ->
                                    Stream.concat(
                                            present(subset.getAddresses()),
                                            present(subset.getNotReadyAddresses())))
                    .forEach(address -> address.setTargetRef(null));
        }
    }

    private static void strip(ObjectMeta metadata) {
        metadata.setManagedFields(List.of());
        metadata.setOwnerReferences(List.of());
        if (metadata.getAnnotations() != null && !metadata.getAnnotations().isEmpty()) {
            Map<String, String> read = new HashMap<>(metadata.getAnnotations());
            read.keySet().removeIf(key -> key == null || !key.startsWith(READ_ANNOTATIONS));
            metadata.setAnnotations(read.isEmpty() ? Map.of() : read);
        }
    }

    private static void strip(Endpoint endpoint) {
        endpoint.setTargetRef(null);
        endpoint.setDeprecatedTopology(Map.of());
    }

    private static <E> Stream<E> present(@Nullable List<E> elements) {
        return elements == null ? Stream.empty() : elements.stream().filter(Objects::nonNull);
    }

    @Override
    public @Nullable T remove(String key) {
        return objects.remove(key);
    }

    @Override
    public Stream<String> keySet() {
        return objects.keySet().stream();
    }

    @Override
    public Stream<T> values() {
        return objects.values().stream();
    }

    @Override
    public int size() {
        return objects.size();
    }

    @Override
    public @Nullable T get(String key) {
        return objects.get(key);
    }
}
