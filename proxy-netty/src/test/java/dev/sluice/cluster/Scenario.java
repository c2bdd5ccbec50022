package dev.sluice.cluster;

/**
 * A row of the comparison.
 *
 * <p>Immutable; any thread.
 *
 * @param title what happens
 */
record Scenario(String title, Script script) {
    /** What is done; the same for each proxy. */
    @FunctionalInterface
    interface Script {
        Observation play(Bench bench) throws Exception;
    }
}
