package dev.sluice.netty;

import dev.sluice.balance.BackendSelectorFactory;
import dev.sluice.model.ClientPlace;
import dev.sluice.model.Endpoint;
import dev.sluice.model.EndpointSet;
import dev.sluice.model.FrontEndKind;
import dev.sluice.model.IpAddress;
import dev.sluice.model.IpFamily;
import dev.sluice.model.LocalSources;
import dev.sluice.model.ServicePort;
import dev.sluice.model.SourceRanges;
import java.util.List;
import java.util.Set;

/**
 * Where datagrams that come to one socket go now. No kernel tells a UDP socket what was asked for
 * before a redirect, so all front ends that lead to it have the same routes: {@link Key}.
 *
 * <p>Immutable; any thread.
 *
 * @param servicePort the value that is served
 * @param entrance who may come in, and to whom
 * @param onThisNode endpoints that sessions of clients on this node may stay with
 * @param elsewhere those for all other clients
 */
record UdpRoutes(
        ServicePort servicePort,
        Entrance entrance,
        Set<Endpoint> onThisNode,
        Set<Endpoint> elsewhere) {

    /**
     * What front ends must have in common to share a socket.
     *
     * @param onThisNode which endpoints clients on this node get
     * @param elsewhere which ones all others get
     * @param ranges who may come in at all
     */
    record Key(
            IpFamily family, EndpointSet onThisNode, EndpointSet elsewhere, SourceRanges ranges) {

        static Key of(ServicePort servicePort, FrontEndKind kind, IpFamily family) {
            return new Key(
                    family,
                    servicePort.endpointSet(kind, ClientPlace.THIS_NODE),
                    servicePort.endpointSet(kind, ClientPlace.ELSEWHERE),
                    servicePort.sourceRanges(kind));
        }
    }

    /** The routes of a kind and family of front ends, with the endpoints of now. */
    static UdpRoutes of(
            ServicePort servicePort,
            FrontEndKind kind,
            IpFamily family,
            BackendSelectorFactory selectors) {
        Key key = Key.of(servicePort, kind, family);
        return new UdpRoutes(
                servicePort,
                Entrance.of(servicePort, kind, family, selectors),
                Set.copyOf(servicePort.endpoints(key.onThisNode, family)),
                Set.copyOf(servicePort.endpoints(key.elsewhere, family)));
    }

    /**
     * Whether the kernel shall tell clients that nobody is there: no endpoint is left at all. Where
     * a policy finds none on this node, or a client may not come in, it hears nothing.
     */
    boolean isRefusing() {
        return List.of(entrance.onThisNode(), entrance.elsewhere()).stream()
                .allMatch(route -> route.refusal() == ConnectionCounters.Event.NO_ENDPOINT);
    }

    /** Whether a session of this client may go on with an endpoint. */
    boolean keeps(IpAddress client, Endpoint endpoint, LocalSources sources) {
        return entrance.ranges().allows(client)
                && (sources.placeOf(client) == ClientPlace.THIS_NODE ? onThisNode : elsewhere)
                        .contains(endpoint);
    }
}
