package dev.sluice.kubernetes;

import dev.sluice.model.IpAddress;
import dev.sluice.model.Problem;
import dev.sluice.model.ServiceName;
import dev.sluice.model.ServicePort;
import dev.sluice.model.ServicePortName;
import dev.sluice.model.ServiceSnapshot;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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
public final class SnapshotBuilder {
    private final LoopbackEndpoints loopback;

    /** In the order of their names. */
    private Map<ServiceName, Remembered> remembered = Map.of();

    private List<ServiceDefinition> definitions = List.of();
    private Set<IpAddress> clusterIps = Set.of();
    private Map<ServicePortName, FrontEndConflict> conflicts = Map.of();

    public SnapshotBuilder(LoopbackEndpoints loopback) {
        this.loopback = loopback;
    }

    /** The snapshot of exactly these objects. */
    public ServiceSnapshot build(KubernetesObjects objects) {
        List<Problem> problems = new ArrayList<>();
        Map<ServiceName, Remembered> services = new LinkedHashMap<>();
        ServiceObjects.byService(objects, problems)
                .forEach((name, all) -> services.put(name, parsed(all, objects)));
        compareServices(services);
        services.replaceAll((name, service) -> service.beside(clusterIps));
        remembered = services;

        SortedMap<ServicePortName, ServicePort> served = new TreeMap<>();
        for (Remembered service : services.values()) {
            problems.addAll(service.parsed.problems());
            problems.addAll(service.endpointProblems);
            for (int i = 0; i < service.servicePorts.size(); i++) {
                ServicePort servicePort = service.servicePorts.get(i);
                @Nullable FrontEndConflict conflict = conflicts.get(servicePort.name());
                if (conflict == null) {
                    served.put(servicePort.name(), servicePort);
                } else {
                    problems.add(service.parsed.problem(i, conflict));
                }
            }
        }
        return new ServiceSnapshot(served, problems);
    }

    private Remembered parsed(ServiceObjects objects, KubernetesObjects all) {
        List<Object> versions = objects.versions(all.where());
        @Nullable Remembered before = remembered.get(objects.name());
        if (before != null && before.versions.equals(versions)) {
            return before;
        }
        return new Remembered(
                versions,
                ParsedService.of(objects, loopback, all.where()),
                null,
                before == null ? List.of() : before.servicePorts,
                List.of());
    }

    /** Most changes are of endpoints: then there is nothing new between Services. */
    private void compareServices(Map<ServiceName, Remembered> services) {
        List<ServiceDefinition> now =
                services.values().stream()
                        .map(service -> service.parsed.definition())
                        .flatMap(Optional::stream)
                        .toList();
        if (now.equals(definitions)) {
            return;
        }
        definitions = now;
        conflicts = FrontEndConflict.among(now);
        Set<IpAddress> nowClusterIps =
                now.stream()
                        .flatMap(service -> service.clusterIps().stream())
                        .collect(Collectors.toUnmodifiableSet());
        clusterIps = nowClusterIps.equals(clusterIps) ? clusterIps : nowClusterIps;
    }

    /**
     * @param clusterIps what the endpoints were compared with; null before the first time
     * @param servicePorts in the order of the Service; those of the last time before the first time
     */
    private record Remembered(
            List<Object> versions,
            ParsedService parsed,
            @Nullable Set<IpAddress> clusterIps,
            List<ServicePort> servicePorts,
            List<Problem> endpointProblems) {

        /** The same with Service ports that are right beside these ClusterIPs. */
        @SuppressWarnings("ReferenceEquality")
        Remembered beside(Set<IpAddress> now) {
            if (clusterIps == now) {
                return this;
            }
            ObjectProblems found = new ObjectProblems(parsed.where());
            List<ServicePort> compared = parsed.servicePorts(now, servicePorts, found);
            return new Remembered(versions, parsed, now, compared, found.list());
        }
    }
}
