package dev.sluice.redirect;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The input of {@code iptables-restore --noflush} that leads from what a table holds to what it
 * shall hold, in one transaction.
 *
 * <p>Declaring a chain ({@code :CHAIN - [0:0]}) flushes it or makes it. A jump is deleted by its
 * text rather than its number: without the lock held since the table was read, a number may mean a
 * stranger's rule by now, while a text that is gone fails the transaction.
 *
 * <p>Threads: stateless; any thread.
 */
final class TablePatch {
    private TablePatch() {}

    /** Empty if the table already holds exactly this. */
    static Optional<String> between(SavedTable saved, TableRules desired) {
        SortedMap<String, List<String>> rewritten = new TreeMap<>(desired.chains());
        rewritten.entrySet().removeIf(chain -> holds(saved, chain.getKey(), chain.getValue()));
        List<String> obsolete =
                saved.ownChains().stream()
                        .filter(chain -> !desired.chains().containsKey(chain))
                        .toList();
        Map<String, List<String>> jumps = saved.jumpsToOwnChains();
        SortedMap<String, String> missing = new TreeMap<>(desired.jumps());
        missing.keySet()
                .removeIf(
                        from ->
                                jumps.getOrDefault(from, List.of()).size() == 1
                                        && isFirst(saved, from, "-j " + desired.jumps().get(from)));

        List<String> lines = new ArrayList<>();
        Stream.concat(rewritten.keySet().stream(), obsolete.stream())
                .forEach(chain -> lines.add(":" + chain + " - [0:0]"));
        jumps.forEach(
                (from, rules) -> {
                    if (missing.containsKey(from) || !desired.jumps().containsKey(from)) {
                        rules.forEach(rule -> lines.add("-D " + from + " " + rule));
                    }
                });
        for (Map.Entry<String, List<String>> chain : rewritten.entrySet()) {
            chain.getValue().forEach(rule -> lines.add("-A " + chain.getKey() + " " + rule));
        }
        missing.forEach((from, to) -> lines.add("-I " + from + " 1 -j " + to));
        obsolete.forEach(chain -> lines.add("-X " + chain));
        return lines.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        "*" + desired.table() + "\n" + String.join("\n", lines) + "\nCOMMIT\n");
    }

    /** Whether a table holds all that it shall, among what else there may be. */
    static boolean isWithin(SavedTable saved, TableRules desired) {
        Map<String, List<String>> jumps = saved.jumpsToOwnChains();
        return desired.jumps().keySet().stream().allMatch(jumps::containsKey)
                && desired.chains().entrySet().stream()
                        .allMatch(
                                chain ->
                                        chain.getValue().stream()
                                                .allMatch(
                                                        rule ->
                                                                isAmong(
                                                                        saved.rules(chain.getKey()),
                                                                        rule)));
    }

    private static boolean isAmong(List<String> rules, String wanted) {
        return rules.contains(wanted)
                || rules.stream().anyMatch(rule -> RuleText.equivalent(rule, wanted));
    }

    private static boolean holds(SavedTable saved, String chain, List<String> desired) {
        List<String> rules = saved.rules(chain);
        if (!saved.chains().containsKey(chain) || rules.size() != desired.size()) {
            return false;
        }
        for (int i = 0; i < rules.size(); i++) {
            if (!RuleText.equivalent(rules.get(i), desired.get(i))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isFirst(SavedTable saved, String chain, String rule) {
        return saved.rules(chain).stream()
                .findFirst()
                .filter(first -> RuleText.equivalent(first, rule))
                .isPresent();
    }
}
