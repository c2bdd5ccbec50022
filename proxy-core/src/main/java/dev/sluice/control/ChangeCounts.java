package dev.sluice.control;

/**
 * How many changes of objects a source has seen since its start.
 *
 * <p>Immutable; any thread.
 *
 * @param services of Services, 0 or more
 * @param endpoints of what lists their endpoints, 0 or more
 */
public record ChangeCounts(long services, long endpoints) {
    /** None yet. */
    public static final ChangeCounts NONE = new ChangeCounts(0, 0);
}
