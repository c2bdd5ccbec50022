package dev.sluice.kubernetes;

import dev.sluice.model.Endpoint;
import dev.sluice.model.ExternalAccess;
import dev.sluice.model.FrontEndKind;
import dev.sluice.model.HealthCheck;
import dev.sluice.model.IpAddress;
import dev.sluice.model.IpFamily;
import dev.sluice.model.Problem;
import dev.sluice.model.ServicePort;
import dev.sluice.model.ServicePortName;
import dev.sluice.model.TrafficPolicy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of a Service on this node and beside all others.
 *
 * <p>Immutable; any thread.
 *
 * @param servicePorts those that are served, in the order of {@link ServiceDefinition#ports()}
 */
record PlacedService(
        List<ServicePort> servicePorts, Optional<HealthCheck> healthCheck, List<Problem> problems) {
    /** Before the first time. */
    static final PlacedService NOTHING = new PlacedService(List.of(), Optional.empty(), List.of());

    PlacedService {
        servicePorts = List.copyOf(servicePorts);
    }

    /**
     * @param before of the last time: a Service port that is equal to one of then is taken again
     */
    static PlacedService of(ParsedService parsed, Surroundings around, PlacedService before) {
        if (parsed.definition().isEmpty()) {
            return NOTHING;
        }
        return new Placing(parsed, parsed.definition().get(), around).place(before);
    }

    /** Threads: one. */
    private static final class Placing {
        private final ParsedService parsed;
        private final ServiceDefinition service;
        private final Surroundings around;
        private final ObjectProblems problems;
        private final Set<IpAddress> readyOnNode = new HashSet<>();

        private Placing(ParsedService parsed, ServiceDefinition service, Surroundings around) {
            this.parsed = parsed;
            this.service = service;
            this.around = around;
            this.problems = new ObjectProblems(parsed.where());
        }

        private PlacedService place(PlacedService before) {
            Map<ServicePortName, ServicePort> known = new HashMap<>();
            before.servicePorts.forEach(port -> known.put(port.name(), port));
            List<ServicePort> servicePorts = new ArrayList<>();
            for (ServiceDefinition.Port port : service.ports()) {
                noteConflicts(port);
                EligibleEndpoints endpoints = endpoints(port);
                if (service.external().healthCheckPort() != 0) {
                    readyOnNode.addAll(endpoints.readyOnNode());
                }
                if (!around.claims().unserved().contains(service.portName(port))) {
                    ServicePort now = servicePort(port, endpoints);
                    @Nullable ServicePort last = known.get(now.name());
                    servicePorts.add(now.equals(last) ? last : now);
                }
            }
            PlacedService placed =
                    new PlacedService(
                            servicePorts,
                            healthCheck(),
                            problems.list().stream()
                                    .map(problem -> problem.of(service.name()))
                                    .toList());
            return placed.equals(before) ? before : placed;
        }

        private void noteConflicts(ServiceDefinition.Port port) {
            around.claims()
                    .conflicts()
                    .getOrDefault(service.portName(port), List.of())
                    .forEach(
                            conflict ->
                                    problems.add(
                                            port.field(conflict.kind()),
                                            conflict.frontEnd(),
                                            "is served for " + conflict.owner()));
        }

        /** Without those at which the proxy would connect to itself. */
        private EligibleEndpoints endpoints(ServiceDefinition.Port port) {
            List<EndpointCandidate> usable = new ArrayList<>();
            for (EndpointCandidate candidate : parsed.candidatesOf(port)) {
                Endpoint endpoint = candidate.endpoint();
                Optional<String> loop = around.loop(endpoint, port.key().protocol());
                if (loop.isPresent()) {
                    problems.add(
                            port.field(),
                            port.key().name(),
                            "has the endpoint " + endpoint + ", which is " + loop.get());
                } else {
                    usable.add(candidate);
                }
            }
            return EligibleEndpoints.of(usable, around.node());
        }

        private ServicePort servicePort(ServiceDefinition.Port port, EligibleEndpoints endpoints) {
            ExternalAccess external =
                    new ExternalAccess(
                            service.external().nodePorts() ? port.nodePort() : 0,
                            granted(port, FrontEndKind.NODE_PORT),
                            granted(port, FrontEndKind.LOAD_BALANCER_IP),
                            granted(port, FrontEndKind.EXTERNAL_IP),
                            service.external().policy(),
                            service.external().sourceRanges());
            return new ServicePort(
                    service.portName(port),
                    service.clusterIps(),
                    port.number(),
                    service.affinity(),
                    endpoints.cluster(),
                    needsLocal(external) ? endpoints.local() : List.of(),
                    service.internalPolicy(),
                    external);
        }

        private List<IpAddress> granted(ServiceDefinition.Port port, FrontEndKind kind) {
            return around.claims()
                    .granted(
                            service.portName(port),
                            service.frontEnds(port, kind, around.node().nodePortAddresses()));
        }

        private boolean needsLocal(ExternalAccess external) {
            boolean isExternal =
                    !external.nodeAddresses().isEmpty()
                            || !external.loadBalancerIps().isEmpty()
                            || !external.externalIps().isEmpty();
            return service.internalPolicy() == TrafficPolicy.LOCAL
                    || (isExternal && external.policy() == TrafficPolicy.LOCAL);
        }

        private Optional<HealthCheck> healthCheck() {
            int port = service.external().healthCheckPort();
            List<IpAddress> addresses = around.node().nodePortAddresses();
            if (port == 0 || addresses.isEmpty()) {
                return Optional.empty();
            }
            @Nullable String owner = around.claims().healthChecks().get(service.name());
            if (owner != null) {
                problems.add("spec.healthCheckNodePort", port, "is served for " + owner);
                return Optional.empty();
            }
            return Optional.of(new HealthCheck(service.name(), port, addresses, pods(readyOnNode)));
        }

        /** A pod of a dual-stack Service has an address of each family, and is one all the same. */
        private static int pods(Set<IpAddress> addresses) {
            int four = 0;
            for (IpAddress address : addresses) {
                four += address.family() == IpFamily.IPV4 ? 1 : 0;
            }
            return Math.max(four, addresses.size() - four);
        }
    }
}
