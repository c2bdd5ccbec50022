package dev.sluice.redirect;

import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Finds the rules of a kube-proxy, in its iptables, its nftables and its former userspace mode.
 *
 * <p>Threads: stateless; any thread.
 */
final class KubeProxyRules {
    /** The tables of its nftables mode (KEP-3866), each of which is all its own. */
    private static final Set<String> TABLES = Set.of("ip kube-proxy", "ip6 kube-proxy");

    private KubeProxyRules() {}

    /** What was found, as a sentence without its end; empty if nothing was. */
    static Optional<String> findOnNode(IptablesPrograms installed, Commands commands)
            throws RedirectException {
        for (IptablesProgram program : installed.all()) {
            Optional<String> rule = findIn(program.read(commands));
            if (rule.isPresent()) {
                return Optional.of("%s has the nat rule '%s'".formatted(program, rule.get()));
            }
        }
        if (installed.nft().isEmpty()) {
            return Optional.empty();
        }
        return installed.nft().get().tables(commands).stream()
                .filter(TABLES::contains)
                .map("nft has the table '%s'"::formatted)
                .findFirst();
    }

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
