package dev.sluice.redirect;

import dev.sluice.config.ProxyConfig;
import dev.sluice.model.FrontEnd;
import dev.sluice.model.IpAddress;
import dev.sluice.model.IpFamily;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code redirect = iptables}: rules in chains of its own, whose names start with {@code SLUICE-},
 * in the nat tables of both families, and in their mangle tables where some clients must be
 * dropped.
 *
 * <p>Each table is written in one transaction, by {@code iptables-restore --noflush}; if one fails,
 * the other is written all the same. What the kernel holds is read each time and never remembered,
 * so a repeated {@link #replaceAll} costs one run of {@code iptables-save} per family and repairs
 * whatever another program did to the rules. No sysctl is ever written.
 *
 * <p>Threads: control thread only.
 */
public final class IptablesRedirectRules implements RedirectRules {
    private static final Logger LOG = LoggerFactory.getLogger(IptablesRedirectRules.class);

    /** Most time of a program beside its wait for the lock: 20,000 rules take half a second. */
    private static final Duration COMMAND_TIME = Duration.ofSeconds(30);

    private final ProxyConfig.Redirect settings;
    private final Commands commands;
    private final NodeNetwork.Source node;
    private final IptablesPrograms installed;
    private final Map<IpFamily, IptablesProgram> chosen;
    private final RefusingPort refusingPort = new RefusingPort();
    private final ConnectionTracking tracking;
    private final RuleCounters counters = new RuleCounters();

    /** Families whose flows are known to follow the rules that are in force. */
    private final Set<IpFamily> tracked = EnumSet.noneOf(IpFamily.class);

    /** Front ends whose rules came or went and whose flows could not be looked at since. */
    private final Set<FrontEnd> unfollowed = new HashSet<>();

    private @Nullable Applied applied;
    private boolean leftoversRemoved;
    private List<String> oddInterfaces = List.of();

    /** What the last complete run made the rules from. */
    private record Applied(RuleSet rules, NodeNetwork network) {}

    private IptablesRedirectRules(
            ProxyConfig.Redirect settings,
            Commands commands,
            NodeNetwork.Source node,
            IptablesPrograms installed,
            Map<IpFamily, IptablesProgram> chosen,
            ConnectionTracking tracking) {
        this.settings = settings;
        this.commands = commands;
        this.node = node;
        this.installed = installed;
        this.chosen = chosen;
        this.tracking = tracking;
    }

    /**
     * Finds the programs and chooses their flavour; writes nothing.
     *
     * @throws RedirectException if the programs are missing or can't read the rules
     */
    public static IptablesRedirectRules open(ProxyConfig.Redirect settings)
            throws RedirectException {
        Commands commands = new ProcessCommands(List.of(), COMMAND_TIME.plus(settings.lockWait()));
        return open(settings, commands, IptablesPrograms.systemPath(), NodeNetworkReader::read);
    }

    static IptablesRedirectRules open(
            ProxyConfig.Redirect settings,
            Commands commands,
            List<Path> path,
            NodeNetwork.Source node)
            throws RedirectException {
        IptablesPrograms installed = IptablesPrograms.find(path, commands);
        Map<IpFamily, IptablesProgram> chosen = installed.choose(settings.flavour(), commands);
        return new IptablesRedirectRules(
                settings,
                commands,
                node,
                installed,
                chosen,
                new ConnectionTracking(IptablesPrograms.which(path, "conntrack"), commands));
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
        NodeNetwork network = readNetwork();
        boolean repair = new Applied(rules, network).equals(applied);
        Failures failures = new Failures();
        for (IpFamily family : IpFamily.values()) {
            RuleSet wanted = rules.only(family);
            IptablesProgram program = chosen.get(family);
            if (program != null && missing(family, network).isEmpty()) {
                failures.collect(() -> apply(program, wanted, network, repair, failures));
            }
        }
        if (!leftoversRemoved && failures.isEmpty()) {
            removeFrom(otherFlavour(), failures);
            leftoversRemoved = failures.isEmpty();
        }
        applied = failures.isEmpty() ? new Applied(rules, network) : null;
        failures.collect(() -> requireAllServed(rules, network));
        failures.rethrow();
    }

    /**
     * Whether the kernel holds exactly these rules now, as this object writes them. Nothing is
     * written.
     *
     * @throws RedirectException if rules could not be read
     */
    public boolean isInForce(RuleSet rules) throws RedirectException {
        NodeNetwork network = readNetwork();
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
                            natRules(refusingPort.destinations(wanted), family, network),
                            AdmissionRules.of(wanted, network.addresses()))) {
                if (TablePatch.between(of(saved, desired.table()), desired).isPresent()) {
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
        Set<FrontEnd> removed = removeFrom(installed.all(), failures);
        for (IpFamily family : IpFamily.values()) {
            failures.collect(() -> follow(family, Map.of(), only(family, removed)));
        }
        failures.rethrow();
        refusingPort.release();
    }

    /** Gives the front ends that are redirected no more. */
    private Set<FrontEnd> removeFrom(List<IptablesProgram> programs, Failures failures) {
        Set<FrontEnd> removed = new HashSet<>();
        for (IptablesProgram program : programs) {
            failures.collect(
                    () -> {
                        Map<String, SavedTable> saved = program.read(commands);
                        failures.collect(
                                () -> {
                                    write(program, saved, TableRules.none(NatRules.TABLE), false);
                                    removed.addAll(of(saved, NatRules.TABLE).redirected());
                                });
                        TableRules none = TableRules.none(AdmissionRules.TABLE);
                        failures.collect(() -> write(program, saved, none, false));
                    });
        }
        return removed;
    }

    private static Set<FrontEnd> only(IpFamily family, Set<FrontEnd> frontEnds) {
        Set<FrontEnd> ofFamily = new HashSet<>(frontEnds);
        ofFamily.removeIf(frontEnd -> frontEnd.address().family() != family);
        return ofFamily;
    }

    /** Admission first: what comes to a new rule is to have passed it. */
    private void apply(
            IptablesProgram program,
            RuleSet wanted,
            NodeNetwork network,
            boolean repair,
            Failures failures)
            throws RedirectException {
        IpFamily family = program.family();
        SortedMap<FrontEnd, RedirectTarget> redirects = refusingPort.destinations(wanted);
        TableRules nat = natRules(redirects, family, network);
        Map<String, SavedTable> saved = program.read(commands);
        failures.collect(
                () ->
                        write(
                                program,
                                saved,
                                AdmissionRules.of(wanted, network.addresses()),
                                repair));
        boolean changed = write(program, saved, nat, repair);
        if (changed || !tracked.contains(family)) {
            follow(family, redirects, of(saved, NatRules.TABLE).redirected());
        }
    }

    /** What fails is owed: the next run finds the rules as they shall be, but not the flows. */
    private void follow(
            IpFamily family, Map<FrontEnd, RedirectTarget> redirects, Set<FrontEnd> before)
            throws RedirectException {
        Set<FrontEnd> owed = only(family, unfollowed);
        Set<FrontEnd> gone = new HashSet<>(before);
        gone.addAll(owed);
        gone.removeAll(redirects.keySet());
        Set<FrontEnd> added = new HashSet<>(redirects.keySet());
        added.removeIf(frontEnd -> before.contains(frontEnd) && !owed.contains(frontEnd));
        tracked.remove(family);
        unfollowed.addAll(gone);
        unfollowed.addAll(added);
        long begin = System.nanoTime();
        int deleted = tracking.follow(family, redirects, gone, added);
        counters.tracked(family, System.nanoTime() - begin, deleted);
        unfollowed.removeIf(frontEnd -> frontEnd.address().family() == family);
        tracked.add(family);
    }

    /** Whether anything had to be written. */
    private boolean write(
            IptablesProgram program,
            Map<String, SavedTable> saved,
            TableRules desired,
            boolean repair)
            throws RedirectException {
        String table = desired.table();
        Optional<String> patch = TablePatch.between(of(saved, table), desired);
        if (patch.isPresent()) {
            if (repair) {
                LOG.warn("{}: another program changed Sluice's rules in table {}", program, table);
            }
            LOG.debug("{}: writing table {}:\n{}", program, table, patch.get());
            try {
                program.write(commands, table, patch.get(), settings.lockWait());
            } catch (RedirectException e) {
                counters.failed(program.family());
                throw e;
            }
            counters.wrote(program.family(), table, patch.get());
        }
        counters.holds(program.family(), desired);
        return patch.isPresent();
    }

    private static SavedTable of(Map<String, SavedTable> saved, String table) {
        return saved.getOrDefault(table, SavedTable.EMPTY);
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

    private TableRules natRules(
            SortedMap<FrontEnd, RedirectTarget> redirects, IpFamily family, NodeNetwork network) {
        List<String> numbered =
                network.numbered(family).stream()
                        // What comes in through the others goes by DNAT, as well.
                        .filter(NodeInterface::hasPlainName)
                        .map(NodeInterface::name)
                        .toList();
        Optional<IpAddress> configured =
                family == IpFamily.IPV4 ? settings.address4() : settings.address6();
        Optional<IpAddress> address = configured.or(() -> network.address(family));
        return NatRules.of(redirects, numbered, address);
    }

    private NodeNetwork readNetwork() throws RedirectException {
        NodeNetwork network;
        try {
            network = node.read();
        } catch (IOException e) {
            throw new RedirectException("the node's interfaces could not be read: " + e, e);
        }
        List<String> odd =
                network.interfaces().stream()
                        .filter(candidate -> !candidate.hasPlainName())
                        .map(NodeInterface::name)
                        .toList();
        if (!odd.isEmpty() && !odd.equals(oddInterfaces)) {
            LOG.warn("no rule names these interfaces, their names are odd: {}", odd);
        }
        oddInterfaces = odd;
        return network;
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
