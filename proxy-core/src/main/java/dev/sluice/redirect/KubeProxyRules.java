package dev.sluice.redirect;

import java.util.Map;
import java.util.Optional;

/**
 * Finds the rules of a kube-proxy, in its iptables and its former userspace mode.
 *
 * <p>Threads: stateless; any thread.
 */
final class KubeProxyRules {
    private KubeProxyRules() {}

    /** The first rule of the nat table that leads to kube-proxy's Services, with its chain. */
    static Optional<String> findIn(Map<String, SavedTable> tables) {
        return tables.getOrDefault(NatRules.TABLE, SavedTable.EMPTY).chains().entrySet().stream()
                .flatMap(
                        chain ->
                                chain.getValue().stream()
                                        .filter(rule -> rule.contains("KUBE-"))
                                        .filter(rule -> leadsToServices(RuleText.target(rule)))
                                        .map(rule -> chain.getKey() + " " + rule))
                .findFirst();
    }

    private static boolean leadsToServices(String target) {
        return target.equals("KUBE-SERVICES") || target.startsWith("KUBE-PORTALS-");
    }
}
