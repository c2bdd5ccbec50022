package dev.sluice.kubernetes;

import dev.sluice.control.UnusableSourceException;
import dev.sluice.model.FrontEnd;
import dev.sluice.model.IpAddress;
import dev.sluice.model.Problem;
import dev.sluice.model.ServicePort;
import dev.sluice.model.ServicePortName;
import dev.sluice.model.ServiceSnapshot;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the proxy from capturing its own way to the API server.
 *
 * <p>Threads: one at a time.
 */
final class ApiServerGuard {
    private static final int HTTPS = 443;
    private static final int HTTP = 80;

    private final URI server;
    private @Nullable Set<IpAddress> addresses;

    ApiServerGuard(URI server) {
        this.server = server;
    }

    /**
     * The snapshot without Service ports that have the address of the API server.
     *
     * @throws UnusableSourceException if the first snapshot has one: then the setting is wrong, and
     *     not an object that came later
     */
    ServiceSnapshot check(ServiceSnapshot snapshot) {
        boolean first = addresses == null;
        Set<IpAddress> own = addresses == null ? resolve() : addresses;
        List<ServicePort> captured =
                snapshot.servicePorts().values().stream()
                        .filter(
                                servicePort ->
                                        servicePort.frontEnds().stream()
                                                .anyMatch(frontEnd -> isServer(frontEnd, own)))
                        .toList();
        if (captured.isEmpty()) {
            addresses = own;
            return snapshot;
        }
        if (first) {
            throw new UnusableSourceException(
                    "the API server is reached at "
                            + server
                            + ", which is the ClusterIP of "
                            + captured.get(0).name()
                            + ": the proxy would redirect its own way to it; set"
                            + " sluice.kubernetes.api-server to an address of the API server"
                            + " itself");
        }
        return without(snapshot, captured);
    }

    private ServiceSnapshot without(ServiceSnapshot snapshot, List<ServicePort> captured) {
        SortedMap<ServicePortName, ServicePort> served = new TreeMap<>(snapshot.servicePorts());
        List<Problem> problems = new ArrayList<>(snapshot.problems());
        for (ServicePort servicePort : captured) {
            served.remove(servicePort.name());
            problems.add(
                    new Problem(
                            "Service " + servicePort.name().service(),
                            "spec.clusterIPs",
                            server.getHost(),
                            "is the address at which this proxy reaches the API server"));
        }
        return new ServiceSnapshot(served, problems);
    }

    private boolean isServer(FrontEnd frontEnd, Set<IpAddress> own) {
        return frontEnd.port() == port() && own.contains(frontEnd.address());
    }

    private int port() {
        if (server.getPort() != -1) {
            return server.getPort();
        }
        return "http".equals(server.getScheme()) ? HTTP : HTTPS;
    }

    private Set<IpAddress> resolve() {
        try {
            return Arrays.stream(InetAddress.getAllByName(server.getHost()))
                    .map(IpAddress::of)
                    .collect(Collectors.toUnmodifiableSet());
        } catch (UnknownHostException e) {
            // It was reached a moment ago; whoever resolves names will tell when it is not.
            return Set.of();
        }
    }
}
