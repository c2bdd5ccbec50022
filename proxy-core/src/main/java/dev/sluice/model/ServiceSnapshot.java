package dev.sluice.model;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * One consistent view of all Service ports, with the inputs that were left out of it.
 *
 * <p>Immutable; any thread.
 *
 * @param servicePorts by key; no two of them have a front end in common
 * @param problems what was left out, in a stable order
 * @param healthChecks one for each Service with a health check port, in the order of their names
 * @param localSources which clients are on this node
 */
public record ServiceSnapshot(
        SortedMap<ServicePortName, ServicePort> servicePorts,
        List<Problem> problems,
        List<HealthCheck> healthChecks,
        LocalSources localSources) {
    /** Nothing to serve. */
    public static final ServiceSnapshot EMPTY =
            new ServiceSnapshot(Collections.emptySortedMap(), List.of());

    public ServiceSnapshot {
        servicePorts = Collections.unmodifiableSortedMap(new TreeMap<>(servicePorts));
        problems = List.copyOf(problems);
        healthChecks = List.copyOf(healthChecks);
    }

    /** A snapshot without health checks, in which nobody is known to be on this node. */
    public ServiceSnapshot(
            SortedMap<ServicePortName, ServicePort> servicePorts, List<Problem> problems) {
        this(servicePorts, problems, List.of(), LocalSources.NONE);
    }

    /**
     * A snapshot built in code.
     *
     * @throws IllegalArgumentException if two of the Service ports have the same name, or a front
     *     end in common
     */
    public static ServiceSnapshot of(Collection<ServicePort> servicePorts) {
        SortedMap<ServicePortName, ServicePort> byName = new TreeMap<>();
        Map<FrontEnd, ServicePortName> owners = new TreeMap<>();
        for (ServicePort servicePort : servicePorts) {
            if (byName.put(servicePort.name(), servicePort) != null) {
                throw new IllegalArgumentException(servicePort.name() + " stands twice");
            }
            for (FrontEnd frontEnd : servicePort.frontEnds()) {
                ServicePortName owner = owners.put(frontEnd, servicePort.name());
                if (owner != null) {
                    throw new IllegalArgumentException(
                            frontEnd + " belongs to both " + owner + " and " + servicePort.name());
                }
            }
        }
        return new ServiceSnapshot(byName, List.of());
    }

    /** The same, with further problems, which come first. */
    public ServiceSnapshot withProblems(List<Problem> more) {
        if (more.isEmpty()) {
            return this;
        }
        List<Problem> all = new ArrayList<>(more);
        all.addAll(problems);
        return new ServiceSnapshot(servicePorts, all, healthChecks, localSources);
    }

    /** The same as {@link #of(Collection)}. */
    public static ServiceSnapshot of(ServicePort... servicePorts) {
        return of(List.of(servicePorts));
    }
}
