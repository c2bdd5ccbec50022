package dev.sluice.kubernetes;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.informers.cache.Cache;
import io.fabric8.kubernetes.client.informers.cache.ItemStore;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The objects of an informer without who changed which field when, which is about half of them and
 * read by nobody here.
 *
 * <p>Threads: one writes, any read.
 */
final class LeanStore<T extends HasMetadata> implements ItemStore<T> {
    private final Map<String, T> objects = new ConcurrentHashMap<>();

    @Override
    public String getKey(T object) {
        return Cache.metaNamespaceKeyFunc(object);
    }

    @Override
    public @Nullable T put(String key, T object) {
        if (object.getMetadata() != null) {
            object.getMetadata().setManagedFields(List.of());
        }
        return objects.put(key, object);
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
