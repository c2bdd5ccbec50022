package dev.sluice.kubernetes;

import dev.sluice.model.Endpoint;
import dev.sluice.model.IpAddress;
import dev.sluice.model.Problem;
import dev.sluice.model.ServicePort;
import dev.sluice.model.ServicePortName;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the objects of one Service say, whatever other Services there are.
 *
 * <p>Immutable; any thread.
 *
 * @param where how problems name the Service
 * @param definition empty if the Service is not served
 * @param candidates for each port of the definition
 */
record ParsedService(
        String where,
        Optional<ServiceDefinition> definition,
        Map<PortKey, List<EndpointCandidate>> candidates,
        List<Problem> problems) {
    private static final Logger logger = LoggerFactory.getLogger(ParsedService.class);

    static ParsedService of(
            ServiceObjects objects,
            LoopbackEndpoints loopback,
            Function<? super HasMetadata, String> where) {
        String name = where.apply(objects.service());
        try {
            return parse(objects, loopback, name, where);
        } catch (RuntimeException e) {
            // Everything that objects were seen to contain is checked; what was not foreseen must
            // not keep the other Services from their changes.
            logger.error("{} could not be read; the other Services are served", name, e);
            Problem problem = new Problem(name, "", "", "could not be read: " + e);
            return new ParsedService(name, Optional.empty(), Map.of(), List.of(problem));
        }
    }

    private static ParsedService parse(
            ServiceObjects objects,
            LoopbackEndpoints loopback,
            String name,
            Function<? super HasMetadata, String> where) {
        ObjectProblems own = new ObjectProblems(name);
        Optional<ServiceDefinition> definition =
                ServiceReader.read(objects.service(), objects.name(), own);
        List<Problem> problems = new ArrayList<>(own.list());
        if (definition.isEmpty()) {
            return new ParsedService(name, definition, Map.of(), List.copyOf(problems));
        }
        List<PortKey> keys = definition.get().ports().stream().map(port -> port.key()).toList();
        CandidatesByPort candidates = new CandidatesByPort(keys);
        objects.slices()
                .forEach(
                        slice -> {
                            ObjectProblems found = new ObjectProblems(where.apply(slice));
                            EndpointSliceReader.read(slice, loopback, candidates, found);
                            problems.addAll(found.list());
                        });
        objects.endpoints()
                .forEach(
                        endpoints -> {
                            ObjectProblems found = new ObjectProblems(where.apply(endpoints));
                            EndpointsReader.read(endpoints, loopback, candidates, found);
                            problems.addAll(found.list());
                        });
        Map<PortKey, List<EndpointCandidate>> byPort = new HashMap<>();
        keys.forEach(key -> byPort.put(key, candidates.of(key)));
        return new ParsedService(name, definition, Map.copyOf(byPort), List.copyOf(problems));
    }

    /** Why one of {@link ServiceDefinition#ports()} is not served. */
    Problem problem(int port, FrontEndConflict conflict) {
        return new Problem(
                where,
                definition.orElseThrow().ports().get(port).field() + ".port",
                conflict.frontEnd().toString(),
                "is served for " + conflict.owner());
    }

    /**
     * The Service ports, without endpoints that are the ClusterIP of a Service: the proxy would
     * connect to itself.
     *
     * @param before the Service ports of the last time; an equal one is taken again
     * @return in the order of {@link ServiceDefinition#ports()}
     */
    List<ServicePort> servicePorts(
            Set<IpAddress> allClusterIps, List<ServicePort> before, ObjectProblems problems) {
        if (definition.isEmpty()) {
            return List.of();
        }
        Map<ServicePortName, ServicePort> known = new HashMap<>();
        before.forEach(servicePort -> known.put(servicePort.name(), servicePort));
        List<ServicePort> servicePorts = new ArrayList<>();
        for (ServiceDefinition.Port port : definition.get().ports()) {
            ServicePort now = servicePort(definition.get(), port, allClusterIps, problems);
            @Nullable ServicePort last = known.get(now.name());
            servicePorts.add(now.equals(last) ? last : now);
        }
        return List.copyOf(servicePorts);
    }

    private ServicePort servicePort(
            ServiceDefinition service,
            ServiceDefinition.Port port,
            Set<IpAddress> allClusterIps,
            ObjectProblems problems) {
        List<EndpointCandidate> usable = new ArrayList<>();
        for (EndpointCandidate candidate : candidates.getOrDefault(port.key(), List.of())) {
            Endpoint endpoint = candidate.endpoint();
            if (allClusterIps.contains(endpoint.address())) {
                problems.add(
                        port.field(),
                        port.key().name(),
                        "has the endpoint " + endpoint + ", which is the ClusterIP of a Service");
            } else {
                usable.add(candidate);
            }
        }
        return new ServicePort(
                service.portName(port),
                service.clusterIps(),
                port.number(),
                service.affinity(),
                EligibleEndpoints.of(usable));
    }
}
