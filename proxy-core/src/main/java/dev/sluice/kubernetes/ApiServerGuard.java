package dev.sluice.kubernetes;

import dev.sluice.config.ServerAddress;
import dev.sluice.control.UnusableSourceException;
import dev.sluice.model.IpAddress;
import dev.sluice.model.Problem;
import dev.sluice.model.Protocol;
import dev.sluice.model.ServiceName;
import dev.sluice.model.ServicePort;
import dev.sluice.model.ServicePortName;
import dev.sluice.model.ServiceSnapshot;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Keeps the proxy from capturing its own way to the API server.
 *
 * <p>Threads: one at a time.
 */
final class ApiServerGuard {
    private static final int HTTPS = 443;
    private static final int HTTP = 80;

    private final URI server;
    private final Optional<IpAddress> address;
    private boolean started;

    ApiServerGuard(URI server) {
        this.server = server;
        this.address = ServerAddress.literal(server.getHost());
    }

    /**
     * The snapshot without Services at which the API server is reached: what is left of such a one
     * would still have all other ports of its address refused.
     *
     * @throws UnusableSourceException if the first snapshot has one: then the setting is wrong, and
     *     not an object that came later
     */
    ServiceSnapshot check(ServiceSnapshot snapshot) {
        List<ServicePort> captured =
                snapshot.servicePorts().values().stream().filter(this::isServer).toList();
        if (captured.isEmpty()) {
            started = true;
            return snapshot;
        }
        if (!started) {
            throw new UnusableSourceException(
                    "the API server is reached at "
                            + server
                            + ", which is an address of "
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
        Set<ServiceName> services =
                captured.stream()
                        .map(servicePort -> servicePort.name().service())
                        .collect(Collectors.toCollection(LinkedHashSet::new));
        served.keySet().removeIf(name -> services.contains(name.service()));
        for (ServiceName service : services) {
            problems.add(
                    new Problem(
                                    "Service " + service,
                                    "spec.ports",
                                    server.getHost(),
                                    "is the address at which this proxy reaches the API server")
                            .of(service));
        }
        return new ServiceSnapshot(
                served, problems, snapshot.healthChecks(), snapshot.localSources());
    }

    /**
     * A ClusterIP is captured with all its ports; a NodePort, a socket of its own, is no matter.
     */
    private boolean isServer(ServicePort servicePort) {
        return address.isPresent()
                ? servicePort.clusterIps().contains(address.get())
                        || isAtExternal(servicePort, address.get())
                : isNamed(servicePort.name().service(), server.getHost());
    }

    private boolean isAtExternal(ServicePort servicePort, IpAddress address) {
        return servicePort.port() == port()
                && servicePort.name().protocol() == Protocol.TCP
                && (servicePort.external().loadBalancerIps().contains(address)
                        || servicePort.external().externalIps().contains(address));
    }

    /**
     * Whether a host is the Service by the names that cluster DNS gives it; DNS itself is not
     * asked, since it may be a Service, too.
     */
    private static boolean isNamed(ServiceName service, String host) {
        String own = service.name() + "." + service.namespace();
        return host.equals(own + ".svc")
                || host.startsWith(own + ".svc.")
                || (own.equals("kubernetes.default")
                        && (host.equals("kubernetes") || host.equals(own)));
    }

    private int port() {
        if (server.getPort() != -1) {
            return server.getPort();
        }
        return "http".equals(server.getScheme()) ? HTTP : HTTPS;
    }
}
