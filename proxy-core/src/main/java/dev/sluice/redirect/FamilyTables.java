package dev.sluice.redirect;

import dev.sluice.model.IpFamily;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sluice's part of the tables of one family, as one pair of programs shows and writes them.
 *
 * <p>A change soon after the tables were read takes them to be as they were then: to read the rules
 * of thousands of Services takes longer than to write the few that are new. Whatever another
 * program did meanwhile makes that write fail, or is found when they are read again.
 *
 * <p>Threads: control thread only.
 */
final class FamilyTables {
    private static final Logger LOG = LoggerFactory.getLogger(FamilyTables.class);

    /** Longest time that what another program did may stay unseen while changes go on. */
    private static final Duration READ_INTERVAL = Duration.ofSeconds(5);

    private final IptablesProgram program;
    private final Duration lockWait;
    private final Commands commands;
    private final NodeTables node;
    private final RefusingPort refusingPort;
    private final RuleCounters counters;
    private final FollowingFlows flows;
    private final LongSupplier nanoTime;

    /** Null when they have to be read. */
    private @Nullable Known known;

    /**
     * What the tables hold.
     *
     * @param tables by name; what is Sluice's in them, and perhaps more
     * @param readAt when the kernel was asked, on the clock
     */
    private record Known(Map<String, SavedTable> tables, LedAway led, long readAt) {}

    FamilyTables(
            IptablesProgram program,
            Duration lockWait,
            Commands commands,
            NodeTables node,
            RefusingPort refusingPort,
            RuleCounters counters,
            FollowingFlows flows,
            LongSupplier nanoTime) {
        this.program = program;
        this.lockWait = lockWait;
        this.commands = commands;
        this.node = node;
        this.refusingPort = refusingPort;
        this.counters = counters;
        this.flows = flows;
        this.nanoTime = nanoTime;
    }

    /** Makes them hold these rules, in place of others. */
    void change(RuleSet wanted, NodeNetwork network) throws RedirectException {
        Known last = known;
        if (last == null || nanoTime.getAsLong() - last.readAt() > READ_INTERVAL.toNanos()) {
            read(wanted, network, false);
            return;
        }
        try {
            write(last, wanted, network, false);
        } catch (RedirectException e) {
            LOG.debug("{}: the tables may not be as they were, and are read", program, e);
            read(wanted, network, false);
        }
    }

    /** Makes them hold these rules, which they should hold already. */
    void verify(RuleSet rules, NodeNetwork network) throws RedirectException {
        read(rules, network, true);
    }

    private void read(RuleSet wanted, NodeNetwork network, boolean repair)
            throws RedirectException {
        long readAt = nanoTime.getAsLong();
        Map<String, SavedTable> saved = program.read(commands);
        SavedTable nat = of(saved, NatRules.TABLE);
        refusingPort.prefer(nat);
        write(new Known(saved, nat.led(), readAt), wanted, network, repair);
    }

    /** Admission first: what comes to a new rule is to have passed it. */
    private void write(Known before, RuleSet wanted, NodeNetwork network, boolean repair)
            throws RedirectException {
        known = null;
        IpFamily family = program.family();
        NatTargets targets = refusingPort.targets(wanted, node.address(family, network));
        TableRules nat = node.nat(targets, family, network);
        TableRules admission = AdmissionRules.of(wanted, network.addresses());
        Failures failures = new Failures();
        failures.collect(() -> write(before.tables(), admission, repair));
        failures.collect(
                () -> {
                    boolean changed = write(before.tables(), nat, repair);
                    if (changed || !flows.isDone(family)) {
                        flows.follow(family, targets, before.led());
                    }
                });
        failures.rethrow();
        known =
                new Known(
                        Map.of(
                                nat.table(),
                                SavedTable.of(nat),
                                admission.table(),
                                SavedTable.of(admission)),
                        targets.led(),
                        before.readAt());
    }

    /**
     * Removes all of Sluice's from them, of an earlier process as well.
     *
     * @return what was led away and is no more; nothing if it could not be removed
     */
    LedAway remove(Failures failures) {
        known = null;
        List<LedAway> removed = new ArrayList<>();
        failures.collect(
                () -> {
                    Map<String, SavedTable> saved = program.read(commands);
                    failures.collect(
                            () -> {
                                write(saved, TableRules.none(NatRules.TABLE), false);
                                removed.add(of(saved, NatRules.TABLE).led());
                            });
                    TableRules none = TableRules.none(AdmissionRules.TABLE);
                    failures.collect(() -> write(saved, none, false));
                });
        return removed.stream().reduce(LedAway.NONE, LedAway::and);
    }

    /** Whether anything had to be written. */
    private boolean write(Map<String, SavedTable> saved, TableRules desired, boolean repair)
            throws RedirectException {
        String table = desired.table();
        Optional<String> patch = TablePatch.between(of(saved, table), desired);
        if (patch.isPresent()) {
            if (repair) {
                LOG.warn("{}: another program changed Sluice's rules in table {}", program, table);
            }
            LOG.debug("{}: writing table {}:\n{}", program, table, patch.get());
            try {
                program.write(commands, table, patch.get(), lockWait);
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
}
