package dev.sluice.redirect;

import dev.sluice.model.IpFamily;
import dev.sluice.stats.DurationHistogram;
import java.util.Map;
import java.util.Optional;

/**
 * What a back end has in the kernel and has done there since its start.
 *
 * <p>Immutable; any thread.
 *
 * @param owned rules in chains of Sluice, by table
 * @param lastWritten rules written by the last write, by table
 * @param failedWrites writes that failed, by family
 * @param trackingPasses how long looks at the kernel's connection tracking took, by family
 * @param trackingDeleted entries of connection tracking deleted, by family
 */
public record RuleCounts(
        Map<Table, Integer> owned,
        Map<Table, Integer> lastWritten,
        Map<IpFamily, Long> failedWrites,
        Map<IpFamily, DurationHistogram.Snapshot> trackingPasses,
        Map<IpFamily, Long> trackingDeleted) {
    /** A back end without rules. */
    public static final RuleCounts NONE =
            new RuleCounts(Map.of(), Map.of(), Map.of(), Map.of(), Map.of());

    public RuleCounts {
        owned = Map.copyOf(owned);
        lastWritten = Map.copyOf(lastWritten);
        failedWrites = Map.copyOf(failedWrites);
        trackingPasses = Map.copyOf(trackingPasses);
        trackingDeleted = Map.copyOf(trackingDeleted);
    }

    /**
     * A table of one family.
     *
     * @param name {@code nat}, say
     */
    public record Table(IpFamily family, String name) {}

    /** How long the looks at connection tracking took; empty where there was none. */
    public Optional<DurationHistogram.Snapshot> trackingPasses(IpFamily family) {
        return Optional.ofNullable(trackingPasses.get(family));
    }
}
