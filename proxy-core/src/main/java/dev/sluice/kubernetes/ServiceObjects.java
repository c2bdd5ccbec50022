package dev.sluice.kubernetes;

import dev.sluice.model.Problem;
import dev.sluice.model.ServiceName;
import io.fabric8.kubernetes.api.model.Endpoints;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One Service with all objects that list its endpoints.
 *
 * <p>Immutable; any thread.
 *
 * @param slices in the order of their names
 * @param endpoints empty if there is a slice, since a controller copies one into the other
 */
record ServiceObjects(
        ServiceName name, Service service, List<EndpointSlice> slices, List<Endpoints> endpoints) {

    /**
     * Groups objects by Service, in the order of the names. Endpoints without a Service are not
     * kept.
     *
     * @param lastNames names of the last time, in order: as a rule the same, which is cheaper to
     *     find out than to sort
     * @param problems where Services without a usable name go, and those whose name stands twice
     */
    static Map<ServiceName, ServiceObjects> byService(
            KubernetesObjects objects, Set<ServiceName> lastNames, List<Problem> problems) {
        Map<ServiceName, List<EndpointSlice>> slices =
                group(objects.slices(), ServiceObjects::serviceOf);
        Map<ServiceName, List<Endpoints>> endpoints =
                group(objects.endpoints(), e -> name(e, ObjectMeta::getName));
        Map<ServiceName, ServiceObjects> byService = new HashMap<>();
        for (Service service : objects.services()) {
            ObjectProblems own = new ObjectProblems(objects.where().apply(service));
            ServiceReader.name(service, own)
                    .ifPresent(
                            name -> {
                                List<EndpointSlice> mine = slices.getOrDefault(name, List.of());
                                ServiceObjects all =
                                        new ServiceObjects(
                                                name,
                                                service,
                                                mine,
                                                mine.isEmpty()
                                                        ? endpoints.getOrDefault(name, List.of())
                                                        : List.of());
                                if (byService.putIfAbsent(name, all) != null) {
                                    own.add("metadata.name", name.name(), "stands twice");
                                }
                            });
            problems.addAll(own.list());
        }
        problems.sort(Comparator.comparing(Problem::toString));
        if (!byService.keySet().equals(lastNames)) {
            return new TreeMap<>(byService);
        }
        Map<ServiceName, ServiceObjects> inOrder = new LinkedHashMap<>();
        lastNames.forEach(name -> inOrder.put(name, byService.get(name)));
        return inOrder;
    }

    /** Whether all objects are the very same ones, so that nothing can have changed. */
    @SuppressWarnings("ReferenceEquality")
    boolean areThoseOf(ServiceObjects other) {
        return service == other.service
                && areSame(slices, other.slices)
                && areSame(endpoints, other.endpoints);
    }

    @SuppressWarnings("ReferenceEquality")
    private static boolean areSame(List<?> some, List<?> others) {
        if (some.size() != others.size()) {
            return false;
        }
        for (int i = 0; i < some.size(); i++) {
            if (some.get(i) != others.get(i)) {
                return false;
            }
        }
        return true;
    }

    /**
     * What the result depends on. Two equal lists give equal results.
     *
     * <p>An object of the API server is known by uid and resourceVersion; any other by its content
     * and the place that problems name.
     */
    List<Object> versions(Function<? super HasMetadata, String> where) {
        List<Object> versions = new ArrayList<>(1 + slices.size() + endpoints.size());
        versions.add(version(service, where));
        slices.forEach(slice -> versions.add(version(slice, where)));
        endpoints.forEach(object -> versions.add(version(object, where)));
        return versions;
    }

    private static Object version(HasMetadata object, Function<? super HasMetadata, String> where) {
        ObjectMeta metadata = object.getMetadata();
        return metadata.getUid() == null || metadata.getResourceVersion() == null
                ? new Unversioned(object, where.apply(object))
                : new Version(metadata.getUid(), metadata.getResourceVersion());
    }

    private static <T extends HasMetadata> Map<ServiceName, List<T>> group(
            Iterable<T> objects, Function<T, Optional<ServiceName>> service) {
        Map<ServiceName, List<T>> groups = new HashMap<>();
        for (T object : objects) {
            service.apply(object)
                    .ifPresent(
                            name ->
                                    groups.computeIfAbsent(name, n -> new ArrayList<>())
                                            .add(object));
        }
        // The stores of a watch have no order, but a snapshot has one.
        Comparator<T> byName =
                Comparator.comparing(
                        object -> Objects.requireNonNullElse(object.getMetadata().getName(), ""));
        for (List<T> group : groups.values()) {
            if (group.size() > 1) {
                group.sort(byName);
            }
        }
        return groups;
    }

    private static Optional<ServiceName> serviceOf(EndpointSlice slice) {
        return name(
                slice,
                metadata -> {
                    @Nullable Map<String, String> labels = metadata.getLabels();
                    return labels == null || labels.containsKey(WellKnownLabels.HEADLESS)
                            ? null
                            : labels.get(WellKnownLabels.SERVICE_NAME);
                });
    }

    private static Optional<ServiceName> name(
            HasMetadata object, Function<ObjectMeta, @Nullable String> service) {
        @Nullable ObjectMeta metadata = object.getMetadata();
        if (metadata == null || metadata.getNamespace() == null) {
            return Optional.empty();
        }
        return Optional.ofNullable(service.apply(metadata))
                .map(name -> new ServiceName(metadata.getNamespace(), name));
    }

    private record Version(String uid, String resourceVersion) {}

    private record Unversioned(HasMetadata object, String where) {}
}
