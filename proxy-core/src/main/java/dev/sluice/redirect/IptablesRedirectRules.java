package dev.sluice.redirect;

import dev.sluice.config.ProxyConfig;
import dev.sluice.model.IpFamily;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * {@code redirect = iptables}: rules in chains of its own, whose names start with {@code SLUICE-},
 * in the nat tables of both families, and in their mangle tables where some clients must be
 * dropped.
 *
 * <p>Each table is written in one transaction, by {@code iptables-restore --noflush}; if one fails,
 * the other is written all the same. A repeated {@link #replaceAll} costs one run of {@code
 * iptables-save} per family and repairs whatever another program did to the rules. No sysctl is
 * ever written.
 *
 * <p>Threads: control thread only.
 */
public final class IptablesRedirectRules implements RedirectRules {
    /** Most time of a program beside its wait for the lock: 20,000 rules take half a second. */
    private static final Duration COMMAND_TIME = Duration.ofSeconds(30);

    private final Commands commands;
    private final NodeTables node;
    private final IptablesPrograms installed;
    private final Map<IpFamily, IptablesProgram> chosen;
    private final RefusingPort refusingPort = new RefusingPort();
    private final RuleCounters counters = new RuleCounters();
    private final FollowingFlows flows;
    private final Map<IptablesProgram, FamilyTables> tables = new LinkedHashMap<>();

    private @Nullable Applied applied;
    private boolean leftoversRemoved;

    /** What the last complete run made the rules from. */
    private record Applied(RuleSet rules, NodeNetwork network) {}

    private IptablesRedirectRules(
            Duration lockWait,
            Commands commands,
            NodeTables node,
            IptablesPrograms installed,
            Map<IpFamily, IptablesProgram> chosen,
            ConnectionTracking tracking,
            LongSupplier nanoTime) {
        this.commands = commands;
        this.node = node;
        this.installed = installed;
        this.chosen = chosen;
        this.flows = new FollowingFlows(tracking, counters);
        for (IptablesProgram program : installed.all()) {
            tables.put(
                    program,
                    new FamilyTables(
                            program,
                            lockWait,
                            commands,
                            node,
                            refusingPort,
                            counters,
                            flows,
                            nanoTime));
        }
    }

    /**
     * Finds the programs and chooses their flavour; writes nothing.
     *
     * @throws RedirectException if the programs are missing or can't read the rules
     */
    public static IptablesRedirectRules open(ProxyConfig.Redirect settings)
            throws RedirectException {
        Commands commands = new ProcessCommands(List.of(), COMMAND_TIME.plus(settings.lockWait()));
        return open(
                settings,
                commands,
                IptablesPrograms.systemPath(),
                NodeNetworkReader::read,
                System::nanoTime);
    }

    static IptablesRedirectRules open(
            ProxyConfig.Redirect settings,
            Commands commands,
            List<Path> path,
            NodeNetwork.Source node,
            LongSupplier nanoTime)
            throws RedirectException {
        IptablesPrograms installed = IptablesPrograms.find(path, commands);
        Map<IpFamily, IptablesProgram> chosen = installed.choose(settings.flavour(), commands);
        return new IptablesRedirectRules(
                settings.lockWait(),
                commands,
                new NodeTables(settings, node),
                installed,
                chosen,
                new ConnectionTracking(IptablesPrograms.which(path, "conntrack"), commands),
                nanoTime);
    }

    /**
     * Fails if rules of a kube-proxy are in force, in either flavour of iptables or in nftables:
     * two proxies for the same Services disagree. Rules that a stopped kube-proxy left count as
     * well.
     *
     * @throws RedirectException naming the rule or table and the way out, or if rules could not be
     *     read
     */
    public void requireNoKubeProxy() throws RedirectException {
        Optional<String> found = KubeProxyRules.findOnNode(installed, commands);
        if (found.isPresent()) {
            throw new RedirectException(
                    "kube-proxy serves this node: %s; stop it and run 'kube-proxy --cleanup', or set redirect.beside-kube-proxy = true"
                            .formatted(found.get()));
        }
    }

    @Override
    public void replaceAll(RuleSet rules) throws RedirectException {
        NodeNetwork network = node.network();
        boolean repair = new Applied(rules, network).equals(applied);
        Failures failures = new Failures();
        for (IpFamily family : IpFamily.values()) {
            RuleSet wanted = rules.only(family);
            FamilyTables own = tables.get(chosen.get(family));
            if (own == null || missing(family, network).isPresent()) {
                continue;
            }
            failures.collect(
                    () -> {
                        if (repair) {
                            own.verify(wanted, network);
                        } else {
                            own.change(wanted, network);
                        }
                    });
        }
        if (!leftoversRemoved && failures.isEmpty()) {
            removeFrom(otherFlavour(), failures);
            leftoversRemoved = failures.isEmpty();
        }
        applied = failures.isEmpty() ? new Applied(rules, network) : null;
        if (applied != null && rules.refused().isEmpty() && rules.closed().isEmpty()) {
            refusingPort.release();
        }
        failures.collect(() -> requireAllServed(rules, network));
        failures.rethrow();
    }

    /**
     * Whether the kernel holds these rules now, as this object writes them, whatever else it holds.
     * Nothing is written.
     *
     * @throws RedirectException if rules could not be read
     */
    public boolean isInForce(RuleSet rules) throws RedirectException {
        NodeNetwork network = node.network();
        for (IpFamily family : IpFamily.values()) {
            RuleSet wanted = rules.only(family);
            IptablesProgram program = chosen.get(family);
            if (wanted.equals(RuleSet.EMPTY)) {
                continue;
            }
            if (program == null || missing(family, network).isPresent()) {
                return false;
            }
            Map<String, SavedTable> saved = program.read(commands);
            for (TableRules desired :
                    List.of(
                            node.nat(
                                    refusingPort.targets(wanted, Optional.empty()),
                                    family,
                                    network),
                            AdmissionRules.of(wanted, network.addresses()))) {
                SavedTable held = saved.getOrDefault(desired.table(), SavedTable.EMPTY);
                if (!TablePatch.isWithin(held, desired)) {
                    return false;
                }
            }
        }
        return true;
    }

    @Override
    public void removeAll() throws RedirectException {
        applied = null;
        Failures failures = new Failures();
        LedAway removed = removeFrom(installed.all(), failures);
        for (IpFamily family : IpFamily.values()) {
            failures.collect(() -> flows.follow(family, NatTargets.NONE, removed.only(family)));
        }
        failures.rethrow();
        refusingPort.release();
    }

    /** Gives what is led away no more. */
    private LedAway removeFrom(List<IptablesProgram> programs, Failures failures) {
        LedAway removed = LedAway.NONE;
        for (IptablesProgram program : programs) {
            FamilyTables own = tables.get(program);
            if (own != null) {
                removed = removed.and(own.remove(failures));
            }
        }
        return removed;
    }

    @Override
    public RuleCounts counts() {
        return counters.counts();
    }

    private List<IptablesProgram> otherFlavour() {
        return installed.all().stream()
                .filter(program -> !program.equals(chosen.get(program.family())))
                .toList();
    }

    /** Why there can be no rules of the family; empty if there can. */
    private Optional<String> missing(IpFamily family, NodeNetwork network) {
        if (!chosen.containsKey(family)) {
            return Optional.of("ip6tables-restore not found in PATH");
        }
        return family == IpFamily.IPV6 && !network.ipv6()
                ? Optional.of("the kernel runs without IPv6")
                : Optional.empty();
    }

    private void requireAllServed(RuleSet rules, NodeNetwork network)
            throws UnservedFamilyException {
        for (IpFamily family : IpFamily.values()) {
            Optional<String> missing = missing(family, network);
            if (missing.isPresent() && !rules.only(family).equals(RuleSet.EMPTY)) {
                throw new UnservedFamilyException(
                        "IPv6 front ends have no rules: %s".formatted(missing.get()));
            }
        }
    }
}
