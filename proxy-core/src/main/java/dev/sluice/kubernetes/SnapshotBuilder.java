package dev.sluice.kubernetes;

import dev.sluice.model.FrontEnd;
import dev.sluice.model.IpAddress;
import dev.sluice.model.Problem;
import dev.sluice.model.ServiceName;
import dev.sluice.model.ServicePort;
import dev.sluice.model.ServicePortName;
import dev.sluice.model.ServiceSnapshot;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
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
    private Map<ServiceName, Remembered> remembered = Map.of();
    private Set<IpAddress> vips = Set.of();

    public SnapshotBuilder(LoopbackEndpoints loopback) {
        this.loopback = loopback;
    }

    /** The snapshot of exactly these objects. */
    public ServiceSnapshot build(KubernetesObjects objects) {
        List<Problem> problems = new ArrayList<>();
        SortedMap<ServiceName, Remembered> services = new TreeMap<>();
        ServiceObjects.byService(objects, problems)
                .forEach((name, all) -> services.put(name, parsed(all, objects)));
        Set<IpAddress> nowVips = vips(services.values());
        vips = nowVips.equals(vips) ? vips : nowVips;
        services.replaceAll((name, service) -> service.against(vips));
        remembered = services;

        Map<ServicePortName, Problem> losers = losers(services.values());
        SortedMap<ServicePortName, ServicePort> served = new TreeMap<>();
        for (Remembered service : services.values()) {
            problems.addAll(service.parsed.problems());
            problems.addAll(service.vipProblems);
            for (ServicePort servicePort : service.servicePorts) {
                @Nullable Problem lost = losers.get(servicePort.name());
                if (lost == null) {
                    served.put(servicePort.name(), servicePort);
                } else {
                    problems.add(lost);
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

    private static Set<IpAddress> vips(Iterable<Remembered> services) {
        Set<IpAddress> vips = new HashSet<>();
        services.forEach(service -> vips.addAll(service.parsed.clusterIps()));
        return vips;
    }

    /**
     * Finds the Service ports that want a front end which another one has. The older Service has
     * it, as a new one must not take traffic away by claiming an address; of the same age, the
     * first by name.
     */
    private static Map<ServicePortName, Problem> losers(Iterable<Remembered> services) {
        List<Remembered> byAge = new ArrayList<>();
        services.forEach(
                service -> {
                    if (service.parsed.definition().isPresent()) {
                        byAge.add(service);
                    }
                });
        // The sort is stable and the Services come by name.
        byAge.sort(Comparator.comparing(s -> s.parsed.definition().orElseThrow().created()));
        Map<FrontEnd, ServicePortName> owners = new HashMap<>();
        Map<ServicePortName, Problem> losers = new HashMap<>();
        for (Remembered service : byAge) {
            for (int i = 0; i < service.servicePorts.size(); i++) {
                ServicePort servicePort = service.servicePorts.get(i);
                Optional<FrontEnd> taken =
                        servicePort.frontEnds().stream().filter(owners::containsKey).findFirst();
                if (taken.isPresent()) {
                    losers.put(
                            servicePort.name(),
                            new Problem(
                                    service.parsed.where(),
                                    service.parsed.portField(i) + ".port",
                                    taken.get().toString(),
                                    "is served for " + owners.get(taken.get())));
                } else {
                    servicePort.frontEnds().forEach(f -> owners.put(f, servicePort.name()));
                }
            }
        }
        return losers;
    }

    /**
     * @param vips what the Service ports were checked against; null before the first time
     * @param servicePorts of the last time until they are checked
     */
    private record Remembered(
            List<Object> versions,
            ParsedService parsed,
            @Nullable Set<IpAddress> vips,
            List<ServicePort> servicePorts,
            List<Problem> vipProblems) {

        /** The same with Service ports that are right beside these ClusterIPs. */
        @SuppressWarnings("ReferenceEquality")
        Remembered against(Set<IpAddress> nowVips) {
            if (vips == nowVips) {
                return this;
            }
            ObjectProblems found = new ObjectProblems(parsed.where());
            List<ServicePort> now = parsed.servicePorts(nowVips, servicePorts, found);
            return new Remembered(versions, parsed, nowVips, now, found.list());
        }
    }
}
