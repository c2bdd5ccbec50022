package dev.sluice.redirect;

import dev.sluice.model.FrontEnd;
import dev.sluice.model.IpFamily;
import dev.sluice.model.Protocol;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;

/**
 * What the filter table shall hold for refused front ends of one family.
 *
 * <p>A TCP client sees a reset, which is what a closed port answers; kernel-mode proxies answer
 * with ICMP port unreachable, which clients report as the same error.
 *
 * <p>Threads: stateless; any thread.
 */
final class FilterRules {
    static final String TABLE = "filter";

    private static final String REFUSE = TableRules.CHAIN_PREFIX + "FILTER";

    private FilterRules() {}

    /**
     * @param refused front ends of one family
     */
    static TableRules of(SortedSet<FrontEnd> refused) {
        if (refused.isEmpty()) {
            return TableRules.none(TABLE);
        }
        List<String> rules =
                refused.stream()
                        .map(
                                frontEnd ->
                                        NatRules.match(frontEnd)
                                                + " -j REJECT --reject-with "
                                                + answer(frontEnd))
                        .toList();
        // A VIP may be the node's own address (INPUT), be routed on (FORWARD) or be asked from
        // the node itself (OUTPUT).
        return new TableRules(
                TABLE,
                new TreeMap<>(Map.of(REFUSE, rules)),
                new TreeMap<>(Map.of("INPUT", REFUSE, "FORWARD", REFUSE, "OUTPUT", REFUSE)));
    }

    private static String answer(FrontEnd frontEnd) {
        if (frontEnd.protocol() == Protocol.TCP) {
            return "tcp-reset";
        }
        return frontEnd.address().family() == IpFamily.IPV6
                ? "icmp6-port-unreachable"
                : "icmp-port-unreachable";
    }
}
