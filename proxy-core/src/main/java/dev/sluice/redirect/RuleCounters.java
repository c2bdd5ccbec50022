package dev.sluice.redirect;

import dev.sluice.model.IpFamily;
import dev.sluice.stats.DurationHistogram;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts for {@link RuleCounts}.
 *
 * <p>Threads: written by the control thread; read by any.
 */
final class RuleCounters {
    /** The buckets of kube-proxy: 1 ms, doubled 15 times. */
    private static final Duration FIRST_BUCKET = Duration.ofMillis(1);

    private static final int BUCKETS = 15;

    private final Map<RuleCounts.Table, Integer> owned = new ConcurrentHashMap<>();
    private final Map<RuleCounts.Table, Integer> lastWritten = new ConcurrentHashMap<>();
    private final Map<IpFamily, Family> families = new EnumMap<>(IpFamily.class);

    private static final class Family {
        private final LongAdder failedWrites = new LongAdder();
        private final LongAdder trackingDeleted = new LongAdder();
        private final DurationHistogram trackingPasses =
                new DurationHistogram(FIRST_BUCKET, BUCKETS);
    }

    RuleCounters() {
        for (IpFamily family : IpFamily.values()) {
            families.put(family, new Family());
        }
    }

    private Family of(IpFamily family) {
        return families.computeIfAbsent(family, key -> new Family());
    }

    void holds(IpFamily family, TableRules rules) {
        owned.put(new RuleCounts.Table(family, rules.table()), rules.size());
    }

    /**
     * @param patch in the format of iptables-restore
     */
    void wrote(IpFamily family, String table, String patch) {
        int rules =
                (int) patch.lines().filter(l -> l.startsWith("-A ") || l.startsWith("-I ")).count();
        lastWritten.put(new RuleCounts.Table(family, table), rules);
    }

    void failed(IpFamily family) {
        of(family).failedWrites.increment();
    }

    void tracked(IpFamily family, long nanos, int deleted) {
        of(family).trackingPasses.record(nanos);
        of(family).trackingDeleted.add(deleted);
    }

    RuleCounts counts() {
        Map<IpFamily, Long> failed = new EnumMap<>(IpFamily.class);
        Map<IpFamily, DurationHistogram.Snapshot> passes = new EnumMap<>(IpFamily.class);
        Map<IpFamily, Long> deleted = new EnumMap<>(IpFamily.class);
        families.forEach(
                (family, counts) -> {
                    failed.put(family, counts.failedWrites.sum());
                    passes.put(family, counts.trackingPasses.snapshot());
                    deleted.put(family, counts.trackingDeleted.sum());
                });
        return new RuleCounts(owned, lastWritten, failed, passes, deleted);
    }
}
