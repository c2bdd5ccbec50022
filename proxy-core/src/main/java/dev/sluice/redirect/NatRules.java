package dev.sluice.redirect;

import dev.sluice.model.FrontEnd;
import dev.sluice.model.IpAddress;
import dev.sluice.model.IpFamily;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What the nat table shall hold for front ends of one family.
 *
 * <p>REDIRECT gives a packet the address of the interface it came in through, so it drops what
 * comes in through an interface without one, as many network plugins give pods. Those packets go to
 * an address of the node by DNAT.
 *
 * <p>Threads: stateless; any thread.
 */
final class NatRules {
    static final String TABLE = "nat";

    private static final String PREROUTING = TableRules.CHAIN_PREFIX + "PREROUTING";
    private static final String REDIRECT = TableRules.CHAIN_PREFIX + "REDIRECT";
    private static final String DNAT = TableRules.CHAIN_PREFIX + "DNAT";

    private NatRules() {}

    /**
     * @param redirects front ends of one family to the local port they lead to
     * @param numbered names of the interfaces that have an address of the family, valid in a rule
     * @param node where packets from other interfaces go; empty: they are left alone
     */
    static TableRules of(
            SortedMap<FrontEnd, RedirectTarget> redirects,
            List<String> numbered,
            Optional<IpAddress> node) {
        if (redirects.isEmpty()) {
            return TableRules.none(TABLE);
        }
        SortedMap<String, List<String>> chains = new TreeMap<>();
        List<String> prerouting = new ArrayList<>();
        numbered.forEach(name -> prerouting.add("-i " + name + " -j " + REDIRECT));
        chains.put(REDIRECT, rules(redirects, port -> "REDIRECT --to-ports " + port));
        if (node.isPresent()) {
            prerouting.add("-j " + DNAT);
            String destination = destination(node.get());
            chains.put(
                    DNAT, rules(redirects, port -> "DNAT --to-destination " + destination + port));
        }
        chains.put(PREROUTING, prerouting);
        return new TableRules(
                TABLE, chains, new TreeMap<>(Map.of("PREROUTING", PREROUTING, "OUTPUT", REDIRECT)));
    }

    /** What one listener port is written as in a rule's target. */
    private interface Target {
        String to(int port);
    }

    private static List<String> rules(
            SortedMap<FrontEnd, RedirectTarget> redirects, Target target) {
        return redirects.entrySet().stream()
                .map(entry -> match(entry.getKey()) + " -j " + target.to(entry.getValue().port()))
                .toList();
    }

    /** The match of a front end's packets, word for word as iptables-save writes it. */
    private static String match(FrontEnd frontEnd) {
        String protocol = frontEnd.protocol().lowerCase();
        return "-d %s/%d -p %s -m %s --dport %d"
                .formatted(
                        frontEnd.address(),
                        frontEnd.address().family().bits(),
                        protocol,
                        protocol,
                        frontEnd.port());
    }

    private static String destination(IpAddress node) {
        return node.family() == IpFamily.IPV6 ? "[" + node + "]:" : node + ":";
    }
}
