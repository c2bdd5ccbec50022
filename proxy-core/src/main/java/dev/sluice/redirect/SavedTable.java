package dev.sluice.redirect;

import dev.sluice.model.FrontEnd;
import dev.sluice.model.IpAddress;
import dev.sluice.model.Protocol;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What one table holds in the kernel.
 *
 * <p>Immutable; any thread.
 *
 * @param chains rules in order by chain, built-in chains included; a rule is the text after {@code
 *     -A CHAIN}
 */
record SavedTable(Map<String, List<String>> chains) {
    /** A table that nobody has used yet. */
    static final SavedTable EMPTY = new SavedTable(Map.of());

    SavedTable {
        Map<String, List<String>> copy = new LinkedHashMap<>();
        chains.forEach((chain, rules) -> copy.put(chain, List.copyOf(rules)));
        chains = Collections.unmodifiableMap(copy);
    }

    /** What a table holds that was written so, as far as it is Sluice's. */
    static SavedTable of(TableRules written) {
        Map<String, List<String>> chains = new LinkedHashMap<>(written.chains());
        written.jumps().forEach((from, to) -> chains.put(from, List.of("-j " + to)));
        return new SavedTable(chains);
    }

    /**
     * Reads the output of {@code iptables-save}, of either flavour, with or without counters. Lines
     * that are no chain and no rule are skipped: they are comments.
     *
     * @return tables by name; a table that is not in use is absent
     */
    static Map<String, SavedTable> parse(String saved) {
        Map<String, SavedTable> tables = new TreeMap<>();
        Map<String, List<String>> chains = new LinkedHashMap<>();
        String table = "";
        for (String line : (Iterable<String>) saved.lines()::iterator) {
            if (line.startsWith("*")) {
                table = line.substring(1).strip();
                chains = new LinkedHashMap<>();
            } else if (line.startsWith(":")) {
                chains.putIfAbsent(word(line.substring(1)), new ArrayList<>());
            } else if (line.strip().equals("COMMIT")) {
                tables.put(table, new SavedTable(chains));
            } else {
                addRule(chains, line);
            }
        }
        return tables;
    }

    private static void addRule(Map<String, List<String>> chains, String line) {
        int start = line.startsWith("[") ? line.indexOf("] ") + 2 : 0;
        if (!line.startsWith("-A ", start)) {
            return;
        }
        String rest = line.substring(start + 3);
        String chain = word(rest);
        chains.computeIfAbsent(chain, name -> new ArrayList<>())
                .add(rest.substring(chain.length()).strip());
    }

    private static String word(String text) {
        int end = text.indexOf(' ');
        return end < 0 ? text : text.substring(0, end);
    }

    /** The rules of a chain; none if it does not exist. */
    List<String> rules(String chain) {
        return chains.getOrDefault(chain, List.of());
    }

    /** What rules of Sluice lead somewhere else, as far as they can be read. */
    LedAway led() {
        Set<FrontEnd> frontEnds = new HashSet<>();
        Set<IpAddress> addresses = new HashSet<>();
        for (String chain : ownChains()) {
            for (String rule : rules(chain)) {
                RuleText.frontEnd(rule).ifPresent(frontEnds::add);
                RuleText.addressOf(rule, NatRules.REFUSE).ifPresent(addresses::add);
            }
        }
        return new LedAway(frontEnds, addresses);
    }

    /** The port at which rules of Sluice refuse what comes over a protocol; 0: they do not. */
    int refusingPort(Protocol protocol) {
        return rules(NatRules.REFUSE).stream()
                .map(rule -> RuleText.destinationPort(rule, protocol))
                .flatMap(Optional::stream)
                .findFirst()
                .orElse(0);
    }

    /** The chains of Sluice, of this process or an earlier one. */
    List<String> ownChains() {
        return chains.keySet().stream().filter(TableRules::isOwnChain).toList();
    }

    /** The rules outside the chains of Sluice that lead into them, by the chain they stand in. */
    Map<String, List<String>> jumpsToOwnChains() {
        Map<String, List<String>> jumps = new TreeMap<>();
        foreignChains()
                .forEach(
                        chain -> {
                            List<String> rules =
                                    chain.getValue().stream()
                                            .filter(SavedTable::leadsToOwnChain)
                                            .toList();
                            if (!rules.isEmpty()) {
                                jumps.put(chain.getKey(), rules);
                            }
                        });
        return jumps;
    }

    /** Whether any rule here has nothing to do with Sluice. */
    boolean hasForeignRules() {
        return foreignChains()
                .anyMatch(
                        chain -> !chain.getValue().stream().allMatch(SavedTable::leadsToOwnChain));
    }

    private Stream<Map.Entry<String, List<String>>> foreignChains() {
        return chains.entrySet().stream().filter(chain -> !TableRules.isOwnChain(chain.getKey()));
    }

    /** The target costs more to find than the name, and tables of 50,000 rules exist. */
    private static boolean leadsToOwnChain(String rule) {
        return rule.contains(TableRules.CHAIN_PREFIX)
                && TableRules.isOwnChain(RuleText.target(rule));
    }
}
