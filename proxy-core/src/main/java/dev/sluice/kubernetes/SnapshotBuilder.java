package dev.sluice.kubernetes;

import dev.sluice.model.HealthCheck;
import dev.sluice.model.Problem;
import dev.sluice.model.ServiceName;
import dev.sluice.model.ServicePort;
import dev.sluice.model.ServicePortName;
import dev.sluice.model.ServiceSnapshot;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Builds the snapshot of all Service ports from the objects of the Kubernetes API.
 *
 * <p>What a builder remembers only saves work: the result equals that of a new builder, and a
 * Service port that is equal to the one of the last snapshot is the same object. Services that are
 * gone are forgotten.
 *
 * <p>No object makes a build fail. What is wrong with one becomes a {@link Problem}, in an order
 * that depends on nothing but the objects.
 *
 * <p>Threads: one at a time.
 */
final class SnapshotBuilder {
    private final ServiceRules rules;

    /** In the order of their names. */
    private Map<ServiceName, Remembered> remembered = Map.of();

    private List<ServiceDefinition> definitions = List.of();
    private Surroundings surroundings = Surroundings.NONE;

    /** Of the last snapshot. */
    private SortedMap<ServicePortName, ServicePort> served = Collections.emptySortedMap();

    SnapshotBuilder(ServiceRules rules) {
        this.rules = rules;
    }

    /** The snapshot of exactly these objects on this node. */
    @SuppressWarnings("ReferenceEquality")
    ServiceSnapshot build(KubernetesObjects objects, NodeContext node) {
        List<Problem> problems = new ArrayList<>();
        Map<ServiceName, Remembered> services = new LinkedHashMap<>();
        ServiceObjects.byService(objects, remembered.keySet(), problems)
                .forEach((name, all) -> services.put(name, parsed(all, objects)));
        Surroundings before = surroundings;
        compareServices(services, node.withoutClients());
        SurroundingsChange change =
                before == surroundings
                        ? SurroundingsChange.NONE
                        : SurroundingsChange.between(before, surroundings);
        services.replaceAll((name, service) -> service.in(surroundings, name, change));
        served = served(services);
        remembered = services;

        List<HealthCheck> healthChecks = new ArrayList<>();
        for (Remembered service : services.values()) {
            problems.addAll(service.parsed.problems());
            problems.addAll(service.placed.problems());
            service.placed.healthCheck().ifPresent(healthChecks::add);
        }
        return new ServiceSnapshot(served, problems, healthChecks, node.localSources());
    }

    /** Those of the last time, with what has changed: to sort all of them takes far longer. */
    @SuppressWarnings("ReferenceEquality")
    private SortedMap<ServicePortName, ServicePort> served(Map<ServiceName, Remembered> services) {
        SortedMap<ServicePortName, ServicePort> now = new TreeMap<>(served);
        remembered.forEach(
                (name, before) -> {
                    @Nullable Remembered after = services.get(name);
                    if (after == null || after.placed != before.placed) {
                        before.placed.servicePorts().forEach(port -> now.remove(port.name()));
                    }
                });
        services.forEach(
                (name, after) -> {
                    @Nullable Remembered before = remembered.get(name);
                    if (before == null || after.placed != before.placed) {
                        after.placed.servicePorts().forEach(port -> now.put(port.name(), port));
                    }
                });
        return now;
    }

    private Remembered parsed(ServiceObjects objects, KubernetesObjects all) {
        @Nullable Remembered before = remembered.get(objects.name());
        if (before != null && before.objects.areThoseOf(objects)) {
            return before;
        }
        List<Object> versions = objects.versions(all.where());
        if (before != null && before.versions.equals(versions)) {
            return new Remembered(objects, versions, before.parsed, before.around, before.placed);
        }
        return new Remembered(
                objects,
                versions,
                ParsedService.of(objects, rules, all.where()),
                null,
                before == null ? PlacedService.NOTHING : before.placed);
    }

    /** Most changes are of endpoints: then there is nothing new between Services. */
    private void compareServices(Map<ServiceName, Remembered> services, NodeContext node) {
        List<ServiceDefinition> now =
                services.values().stream()
                        .map(service -> service.parsed.definition())
                        .flatMap(Optional::stream)
                        .toList();
        if (areEqual(now, definitions) && node.equals(surroundings.node())) {
            return;
        }
        definitions = now;
        Surroundings found =
                new Surroundings(
                        node,
                        FrontEndClaims.of(now, node.nodePortAddresses()),
                        now.stream()
                                .flatMap(service -> service.clusterIps().stream())
                                .collect(Collectors.toUnmodifiableSet()));
        surroundings = found.equals(surroundings) ? surroundings : found;
    }

    /** As the lists' own comparison, which looks into definitions that are the same object. */
    @SuppressWarnings("ReferenceEquality")
    private static boolean areEqual(List<ServiceDefinition> some, List<ServiceDefinition> others) {
        if (some.size() != others.size()) {
            return false;
        }
        for (int i = 0; i < some.size(); i++) {
            if (some.get(i) != others.get(i) && !some.get(i).equals(others.get(i))) {
                return false;
            }
        }
        return true;
    }

    /**
     * @param around where the Service was placed; null before the first time
     * @param placed what came of it; of the last time before the first time
     */
    private record Remembered(
            ServiceObjects objects,
            List<Object> versions,
            ParsedService parsed,
            @Nullable Surroundings around,
            PlacedService placed) {

        /** A Service that was not placed yet has no surroundings, and is placed in any case. */
        @SuppressWarnings("ReferenceEquality")
        Remembered in(Surroundings now, ServiceName name, SurroundingsChange change) {
            if (around == now) {
                return this;
            }
            boolean same = around != null && !change.concerns(name, parsed);
            return new Remembered(
                    objects,
                    versions,
                    parsed,
                    now,
                    same ? placed : PlacedService.of(parsed, now, placed));
        }
    }
}
