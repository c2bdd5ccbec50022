package dev.sluice.redirect;

import dev.sluice.model.Cidr;
import dev.sluice.model.FrontEnd;
import dev.sluice.model.IpAddress;
import dev.sluice.model.SourceRanges;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What the mangle table shall hold: new connections to a front end that get no answer. That table
 * comes before nat, so packets still have the destination that their clients asked for, and a
 * dropped client hears nothing, as {@code loadBalancerSourceRanges} and traffic policies without a
 * local endpoint want it. Connections that exist go on in every case.
 *
 * <p>Threads: stateless; any thread.
 */
final class AdmissionRules {
    static final String TABLE = "mangle";

    private static final String PREROUTING = TableRules.CHAIN_PREFIX + "PREROUTING";
    private static final String OUTPUT = TableRules.CHAIN_PREFIX + "OUTPUT";
    private static final String RANGES = TableRules.CHAIN_PREFIX + "RANGES";
    private static final String POLICY = TableRules.CHAIN_PREFIX + "POLICY";
    private static final String EXTERNAL = TableRules.CHAIN_PREFIX + "EXTERNAL";
    private static final String RETURN = " -j RETURN";
    private static final String DROP = " -j DROP";

    private AdmissionRules() {}

    /**
     * @param rules those of one family
     * @param node addresses of the node, any family
     */
    static TableRules of(RuleSet rules, Collection<IpAddress> node) {
        SortedMap<String, List<String>> chains = new TreeMap<>();
        if (!rules.limited().isEmpty()) {
            chains.putAll(PrefixChains.of(RANGES, List.of(), ranges(rules.limited(), node)));
        }
        SortedMap<IpAddress, List<String>> policy = drops(rules.dropped(), DropScope.EVERYONE);
        if (!policy.isEmpty()) {
            chains.putAll(PrefixChains.of(POLICY, List.of(), policy));
        }
        SortedMap<IpAddress, List<String>> external = drops(rules.dropped(), DropScope.ELSEWHERE);
        if (!external.isEmpty()) {
            List<String> exempt = new ArrayList<>();
            // What the node sends to an address of its own comes back through loopback.
            exempt.add("-i lo" + RETURN);
            rules.localPods().forEach(pods -> exempt.add(source(pods) + RETURN.stripLeading()));
            chains.putAll(PrefixChains.of(EXTERNAL, exempt, external));
        }
        if (chains.isEmpty()) {
            return TableRules.none(TABLE);
        }
        chains.put(OUTPUT, gate(chains, List.of(RANGES, POLICY)));
        chains.put(PREROUTING, gate(chains, List.of(RANGES, POLICY, EXTERNAL)));
        return new TableRules(
                TABLE, chains, new TreeMap<>(Map.of("PREROUTING", PREROUTING, "OUTPUT", OUTPUT)));
    }

    private static List<String> gate(Map<String, List<String>> chains, List<String> asked) {
        List<String> rules = new ArrayList<>();
        rules.add("-m conntrack ! --ctstate NEW" + RETURN);
        asked.stream().filter(chains::containsKey).forEach(chain -> rules.add("-j " + chain));
        return rules;
    }

    private static SortedMap<IpAddress, List<String>> ranges(
            SortedMap<FrontEnd, SourceRanges> limited, Collection<IpAddress> node) {
        SortedMap<IpAddress, List<String>> all = new TreeMap<>();
        limited.forEach(
                (frontEnd, allowed) -> {
                    List<String> rules = of(frontEnd, all);
                    String match = NatRules.match(frontEnd);
                    for (Cidr range : allowed.ranges(frontEnd.address().family())) {
                        rules.add(source(range) + match + RETURN);
                    }
                    // Where the node owns the address, what it sends there comes from there.
                    if (node.stream().anyMatch(allowed::allows)) {
                        rules.add(source(Cidr.of(frontEnd.address())) + match + RETURN);
                    }
                    rules.add(match + DROP);
                });
        return all;
    }

    private static SortedMap<IpAddress, List<String>> drops(
            SortedMap<FrontEnd, DropScope> dropped, DropScope scope) {
        SortedMap<IpAddress, List<String>> all = new TreeMap<>();
        dropped.forEach(
                (frontEnd, of) -> {
                    if (of == scope) {
                        of(frontEnd, all).add(NatRules.match(frontEnd) + DROP);
                    }
                });
        return all;
    }

    private static List<String> of(FrontEnd frontEnd, SortedMap<IpAddress, List<String>> all) {
        return all.computeIfAbsent(frontEnd.address(), address -> new ArrayList<>());
    }

    /** The match of a source, which iptables-save leaves out where it is anybody. */
    private static String source(Cidr range) {
        return range.length() == 0 ? "" : "-s " + range + " ";
    }
}
