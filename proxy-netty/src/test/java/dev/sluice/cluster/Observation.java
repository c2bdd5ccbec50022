package dev.sluice.cluster;

/**
 * What clients saw of one proxy in one scenario.
 *
 * <p>Immutable; any thread.
 *
 * @param transparent whether it is what they would have seen of a healthy pod without a proxy
 * @param words a cell of the table
 */
record Observation(boolean transparent, String words) {
    /** Something that is neither good nor bad. */
    static Observation note(String words) {
        return new Observation(true, words);
    }
}
