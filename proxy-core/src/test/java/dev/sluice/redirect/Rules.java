package dev.sluice.redirect;

import dev.sluice.model.FrontEnd;
import dev.sluice.model.IpAddress;
import dev.sluice.model.Protocol;
import java.util.Arrays;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Front ends and rule sets in short notation. Stateless; any thread. */
final class Rules {
    private Rules() {}

    static FrontEnd tcp(String address, int port) {
        return new FrontEnd(IpAddress.parse(address), port, Protocol.TCP);
    }

    static SortedMap<FrontEnd, RedirectTarget> redirect(FrontEnd frontEnd, int localPort) {
        return new TreeMap<>(java.util.Map.of(frontEnd, RedirectTarget.port(localPort)));
    }

    static SortedSet<FrontEnd> refused(FrontEnd... frontEnds) {
        return Arrays.stream(frontEnds).collect(Collectors.toCollection(TreeSet::new));
    }
}
