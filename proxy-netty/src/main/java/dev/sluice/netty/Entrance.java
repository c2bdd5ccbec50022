package dev.sluice.netty;

import dev.sluice.balance.BackendSelector;
import dev.sluice.balance.BackendSelectorFactory;
import dev.sluice.model.ClientPlace;
import dev.sluice.model.EndpointSet;
import dev.sluice.model.FrontEndKind;
import dev.sluice.model.IpAddress;
import dev.sluice.model.IpFamily;
import dev.sluice.model.LocalSources;
import dev.sluice.model.ServicePort;
import dev.sluice.model.SourceRanges;
import java.util.EnumMap;
import java.util.Map;

/**
 * Who may come in at a front end, and where they go from there. It depends on the kind and the
 * family of the front end alone.
 *
 * <p>Immutable; any thread.
 *
 * @param ranges who may come in at all
 * @param onThisNode where clients on this node go
 * @param elsewhere where all others go
 */
record Entrance(SourceRanges ranges, Route onThisNode, Route elsewhere) {

    /** The entrance of a kind and family of front ends, with the endpoints of now. */
    static Entrance of(
            ServicePort servicePort,
            FrontEndKind kind,
            IpFamily family,
            BackendSelectorFactory selectors) {
        Map<EndpointSet, BackendSelector> bySet = new EnumMap<>(EndpointSet.class);
        Map<ClientPlace, Route> routes = new EnumMap<>(ClientPlace.class);
        for (ClientPlace place : ClientPlace.values()) {
            // Also without endpoints: what the factory keeps shall know that they are gone.
            BackendSelector selector =
                    bySet.computeIfAbsent(
                            servicePort.endpointSet(kind, place),
                            set -> selectors.selector(servicePort, set, family));
            routes.put(place, Route.of(servicePort.answer(kind, family, place), selector));
        }
        return new Entrance(
                servicePort.sourceRanges(kind),
                routes.getOrDefault(ClientPlace.THIS_NODE, Route.NOT_ALLOWED),
                routes.getOrDefault(ClientPlace.ELSEWHERE, Route.NOT_ALLOWED));
    }

    /** Whether any client can be served. */
    boolean isOpen() {
        return (onThisNode.isOpen() || elsewhere.isOpen())
                && (!ranges.limited() || !ranges.ranges().isEmpty());
    }

    /** Where a client goes. */
    Route route(IpAddress client, LocalSources sources) {
        if (!ranges.allows(client)) {
            return Route.NOT_ALLOWED;
        }
        // Most Services make no difference, and then nobody has to look where the client is.
        return onThisNode.equals(elsewhere) || sources.placeOf(client) == ClientPlace.THIS_NODE
                ? onThisNode
                : elsewhere;
    }
}
