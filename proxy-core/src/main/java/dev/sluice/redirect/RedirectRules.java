package dev.sluice.redirect;

/**
 * A back end that writes rules into the kernel. Foreign rules, chains and tables are never touched.
 *
 * <p>Threads: control thread only; every method may block for a bounded time.
 */
public interface RedirectRules {
    /**
     * Makes the kernel's rules of Sluice exactly these, whatever they were before; writes nothing
     * where they already are. After an exception the kernel holds the old rules, the new ones, or
     * one of each per address family and table: calling again repairs it.
     *
     * @throws UnservedFamilyException if front ends of a family have no rules because the node has
     *     no means for it; those of the other one are in force
     * @throws RedirectException if a rule could not be written
     */
    void replaceAll(RuleSet rules) throws RedirectException;

    /** What is in the kernel, and what was done. Any thread. */
    default RuleCounts counts() {
        return RuleCounts.NONE;
    }

    /**
     * Removes all rules and chains of Sluice, those of an earlier process included.
     *
     * @throws RedirectException if some could not be removed
     */
    void removeAll() throws RedirectException;
}
