package dev.sluice.kubernetes;

import dev.sluice.model.FrontEnd;
import dev.sluice.model.FrontEndKind;
import dev.sluice.model.IpAddress;
import dev.sluice.model.Protocol;
import dev.sluice.model.ServiceName;
import dev.sluice.model.ServicePortName;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which Service port has which front end. All ClusterIPs are given out first, then NodePorts,
 * addresses of load balancers and external IPs, since each of these is easier to claim than the one
 * before. Of one kind the older Service has the front end, as a new one must not take traffic away
 * by claiming an address; of the same age, the first by name.
 *
 * <p>A port without its ClusterIPs is not served at all; any other front end is missed alone.
 *
 * <p>Immutable; any thread.
 *
 * @param owners by front end
 * @param conflicts by the Service port that goes without
 * @param unserved Service ports without their ClusterIPs
 * @param healthChecks by the Service whose health check port is somebody else's: whose
 */
record FrontEndClaims(
        Map<FrontEnd, ServicePortName> owners,
        Map<ServicePortName, List<FrontEndConflict>> conflicts,
        Set<ServicePortName> unserved,
        Map<ServiceName, String> healthChecks) {
    /** Nobody wants anything. */
    static final FrontEndClaims NONE = new FrontEndClaims(Map.of(), Map.of(), Set.of(), Map.of());

    FrontEndClaims {
        owners = Map.copyOf(owners);
        conflicts = Map.copyOf(conflicts);
        unserved = Set.copyOf(unserved);
        healthChecks = Map.copyOf(healthChecks);
    }

    /**
     * @param services in the order of their names
     */
    static FrontEndClaims of(List<ServiceDefinition> services, List<IpAddress> nodePortAddresses) {
        // A stable sort: those of the same age stay in the order of their names.
        List<ServiceDefinition> byAge =
                services.stream().sorted(Comparator.comparing(ServiceDefinition::created)).toList();
        Claiming claiming = new Claiming(nodePortAddresses);
        for (FrontEndKind kind : FrontEndKind.values()) {
            for (ServiceDefinition service : byAge) {
                service.ports().forEach(port -> claiming.claim(service, port, kind));
            }
        }
        byAge.forEach(claiming::claimHealthCheck);
        return new FrontEndClaims(
                claiming.owners,
                claiming.conflicts,
                claiming.unserved,
                claiming.healthCheckConflicts);
    }

    /** Those addresses of front ends that the Service port has. */
    List<IpAddress> granted(ServicePortName name, List<FrontEnd> wanted) {
        return wanted.stream()
                .filter(frontEnd -> name.equals(owners.get(frontEnd)))
                .map(FrontEnd::address)
                .toList();
    }

    /** Threads: one. */
    private static final class Claiming {
        private final List<IpAddress> nodePortAddresses;
        private final Map<FrontEnd, ServicePortName> owners = new HashMap<>();
        private final Map<ServicePortName, List<FrontEndConflict>> conflicts = new HashMap<>();
        private final Set<ServicePortName> unserved = new HashSet<>();
        private final Map<Integer, ServiceName> healthChecks = new HashMap<>();
        private final Map<ServiceName, String> healthCheckConflicts = new HashMap<>();

        private Claiming(List<IpAddress> nodePortAddresses) {
            this.nodePortAddresses = nodePortAddresses;
        }

        private void claim(
                ServiceDefinition service, ServiceDefinition.Port port, FrontEndKind kind) {
            ServicePortName name = service.portName(port);
            List<FrontEnd> wanted = service.frontEnds(port, kind, nodePortAddresses);
            if (kind == FrontEndKind.CLUSTER_IP) {
                claimTogether(name, wanted);
            } else if (!unserved.contains(name)) {
                wanted.forEach(frontEnd -> claimAlone(name, kind, frontEnd));
            }
        }

        private void claimTogether(ServicePortName name, List<FrontEnd> clusterIps) {
            for (FrontEnd frontEnd : clusterIps) {
                @Nullable ServicePortName owner = owners.get(frontEnd);
                if (owner != null) {
                    unserved.add(name);
                    conflict(name, new FrontEndConflict(frontEnd, FrontEndKind.CLUSTER_IP, owner));
                    return;
                }
            }
            clusterIps.forEach(frontEnd -> owners.put(frontEnd, name));
        }

        private void claimAlone(ServicePortName name, FrontEndKind kind, FrontEnd frontEnd) {
            @Nullable ServicePortName owner = owners.putIfAbsent(frontEnd, name);
            if (owner != null && !owner.equals(name)) {
                conflict(name, new FrontEndConflict(frontEnd, kind, owner));
            }
        }

        /** A NodePort that is taken is taken on every address of the node: once is enough. */
        private void conflict(ServicePortName name, FrontEndConflict conflict) {
            List<FrontEndConflict> all = conflicts.computeIfAbsent(name, n -> new ArrayList<>());
            boolean isTold =
                    conflict.kind() == FrontEndKind.NODE_PORT
                            && all.stream().anyMatch(told -> told.kind() == FrontEndKind.NODE_PORT);
            if (!isTold) {
                all.add(conflict);
            }
        }

        private void claimHealthCheck(ServiceDefinition service) {
            int port = service.external().healthCheckPort();
            if (port == 0) {
                return;
            }
            for (IpAddress address : nodePortAddresses) {
                @Nullable ServicePortName owner =
                        owners.get(new FrontEnd(address, port, Protocol.TCP));
                if (owner != null) {
                    healthCheckConflicts.put(service.name(), owner.toString());
                    return;
                }
            }
            @Nullable ServiceName other = healthChecks.putIfAbsent(port, service.name());
            if (other != null) {
                healthCheckConflicts.put(service.name(), other + " as its health check");
            }
        }
    }
}
