package dev.sluice.netty;

import dev.sluice.balance.BackendSelectorFactory;
import dev.sluice.model.FrontEnd;
import dev.sluice.model.FrontEndKind;
import dev.sluice.model.IpFamily;
import dev.sluice.model.ServicePort;
import dev.sluice.model.ServicePortName;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where the connections to a Service port go now.
 *
 * <p>Immutable; any thread.
 *
 * @param name the Service port
 * @param entrances all front ends of the Service port
 * @param direct for connections that came to the listener itself where nothing redirects
 */
record Backends(
        ServicePortName name, Map<FrontEnd, Entrance> entrances, Optional<Entrance> direct) {
    Backends {
        entrances = Map.copyOf(entrances);
    }

    /**
     * Where connections to a Service port go.
     *
     * @param redirected whether clients are redirected, so that what comes to the listener itself
     *     is not served
     */
    static Backends of(
            ServicePort servicePort, BackendSelectorFactory selectors, boolean redirected) {
        Map<Key, Entrance> shared = new HashMap<>();
        Map<FrontEnd, Entrance> entrances = new HashMap<>();
        servicePort
                .kinds()
                .forEach(
                        (frontEnd, kind) ->
                                entrances.put(
                                        frontEnd,
                                        shared.computeIfAbsent(
                                                new Key(kind, frontEnd.address().family()),
                                                key ->
                                                        Entrance.of(
                                                                servicePort,
                                                                key.kind,
                                                                key.family,
                                                                selectors))));
        return new Backends(
                servicePort.name(),
                entrances,
                redirected ? Optional.empty() : direct(servicePort, shared));
    }

    /** The first family of the ClusterIPs in which there is somebody to go to. */
    private static Optional<Entrance> direct(
            ServicePort servicePort, Map<Key, Entrance> entrances) {
        return servicePort.clusterIps().stream()
                .map(address -> entrances.get(new Key(FrontEndKind.CLUSTER_IP, address.family())))
                .filter(entrance -> entrance != null && entrance.isOpen())
                .findFirst();
    }

    /**
     * Where a client comes in.
     *
     * @param asked null for the listener itself
     * @return null if that is no way in
     */
    @Nullable Entrance entrance(@Nullable FrontEnd asked) {
        return asked == null ? direct.orElse(null) : entrances.get(asked);
    }

    private record Key(FrontEndKind kind, IpFamily family) {}
}
