package dev.sluice.redirect;

import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What one table shall hold for Sluice.
 *
 * <p>Immutable; any thread.
 *
 * @param table {@code nat}, say
 * @param chains rules in order by own chain; a rule is the text after {@code -A CHAIN}
 * @param jumps own chain that a built-in chain jumps to, before anything else, by built-in chain
 */
record TableRules(
        String table, SortedMap<String, List<String>> chains, SortedMap<String, String> jumps) {
    /** Every chain whose name starts so belongs to Sluice. */
    static final String CHAIN_PREFIX = "SLUICE-";

    TableRules {
        chains = Collections.unmodifiableSortedMap(new TreeMap<>(chains));
        jumps = Collections.unmodifiableSortedMap(new TreeMap<>(jumps));
    }

    /** Nothing of Sluice in this table. */
    static TableRules none(String table) {
        return new TableRules(table, Collections.emptySortedMap(), Collections.emptySortedMap());
    }

    /** Number of rules, the jumps from built-in chains included. */
    int size() {
        return jumps.size() + chains.values().stream().mapToInt(List::size).sum();
    }

    static boolean isOwnChain(String chain) {
        return chain.startsWith(CHAIN_PREFIX);
    }
}
