package dev.sluice.control;

import dev.sluice.model.Answer;
import dev.sluice.model.ClientPlace;
import dev.sluice.model.FrontEnd;
import dev.sluice.model.FrontEndKind;
import dev.sluice.model.IpAddress;
import dev.sluice.model.IpFamily;
import dev.sluice.model.Protocol;
import dev.sluice.model.ServicePort;
import dev.sluice.model.SourceRanges;
import dev.sluice.redirect.DropScope;
import dev.sluice.redirect.RedirectTarget;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * What the kernel shall do for one Service port. Most changes of endpoints leave it as it is.
 *
 * <p>Immutable; any thread.
 */
record PortRules(
        Map<FrontEnd, RedirectTarget> redirects,
        Set<FrontEnd> refused,
        Map<FrontEnd, DropScope> dropped,
        Map<FrontEnd, SourceRanges> limited) {

    PortRules {
        redirects = Map.copyOf(redirects);
        refused = Set.copyOf(refused);
        dropped = Map.copyOf(dropped);
        limited = Map.copyOf(limited);
    }

    /**
     * If none of a Service port's front ends has an endpoint, its listener refuses by itself; a TCP
     * front end that alone has none is refused by its rule, since the listener accepts for the
     * others. (UDP has a socket for each family.)
     */
    static PortRules of(ServicePort servicePort, OpenListener listener) {
        Set<FrontEnd> refused = new HashSet<>();
        Map<FrontEnd, DropScope> dropped = new HashMap<>();
        Map<FrontEnd, SourceRanges> limited = new HashMap<>();
        servicePort
                .kinds()
                .forEach(
                        (frontEnd, kind) -> {
                            if (isRefusedAlone(servicePort, frontEnd)
                                    && listener.targets().containsKey(frontEnd)) {
                                refused.add(frontEnd);
                            }
                            IpFamily family = frontEnd.address().family();
                            if (isDropped(servicePort, kind, family, ClientPlace.THIS_NODE)) {
                                dropped.put(frontEnd, DropScope.EVERYONE);
                            } else if (isDropped(
                                    servicePort, kind, family, ClientPlace.ELSEWHERE)) {
                                dropped.put(frontEnd, DropScope.ELSEWHERE);
                            }
                            if (servicePort.sourceRanges(kind).limited()) {
                                limited.put(frontEnd, servicePort.sourceRanges(kind));
                            }
                        });
        return new PortRules(listener.targets(), refused, dropped, limited);
    }

    /** Whether this Service port has a rule at an address, which therefore is a Service's. */
    boolean redirectsAt(IpAddress address) {
        return redirects.keySet().stream().anyMatch(frontEnd -> frontEnd.address().equals(address));
    }

    private static boolean isRefusedAlone(ServicePort servicePort, FrontEnd frontEnd) {
        return frontEnd.protocol() == Protocol.TCP
                && !servicePort.endpoints().isEmpty()
                && !servicePort.hasEndpoints(frontEnd.address().family());
    }

    private static boolean isDropped(
            ServicePort servicePort, FrontEndKind kind, IpFamily family, ClientPlace place) {
        return servicePort.answer(kind, family, place) == Answer.DROP;
    }
}
