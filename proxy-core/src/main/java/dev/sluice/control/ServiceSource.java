package dev.sluice.control;

import dev.sluice.model.ServiceSnapshot;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Where Services and their endpoints come from. */
public interface ServiceSource extends AutoCloseable {
    /**
     * Begins to follow the source.
     *
     * @param onChange called from any thread, any number of times, whenever {@link #snapshot()} may
     *     have a new answer, the first complete one included; it returns at once
     */
    void start(Runnable onChange);

    /**
     * The whole state as it is now. Called by the control thread only. An unchanged Service port is
     * the same object as in the snapshot before.
     *
     * @throws UnusableSourceException if the source must not be followed here; nothing of it is
     *     applied then
     * @return empty until all lists are complete for the first time: nothing may be programmed
     *     before
     */
    Optional<ServiceSnapshot> snapshot();

    /**
     * How fresh the state is: one entry for each list that the source keeps up by a watch, in the
     * order of their names. Any thread.
     *
     * @return empty if the source follows nothing remote
     */
    default List<WatchStatus> watches() {
        return List.of();
    }

    /**
     * When the endpoint changes that came with the last {@link #snapshot} were made, as the
     * annotation {@code endpoints.kubernetes.io/last-change-trigger-time} says; each is told once.
     * Called by the control thread only.
     *
     * @return empty if the source does not know
     */
    default List<Instant> takeTriggerTimes() {
        return List.of();
    }

    /**
     * Why load balancers shall send this node no more traffic, as its Node says: it is deleted, or
     * about to be (KEP-3836). Any thread.
     *
     * @return empty if they may, or if nothing is known of the Node
     */
    default Optional<String> nodeIneligible() {
        return Optional.empty();
    }

    /**
     * Told after each run what became of the last snapshot, for those who wrote its Services.
     * Called by the control thread; returns at once.
     */
    default void applied(ReconcileStatus status) {}

    /** How many changes the source has seen. Any thread. */
    default ChangeCounts changes() {
        return ChangeCounts.NONE;
    }

    /** Stops to follow; no call of {@code onChange} begins after this returns. */
    @Override
    void close();
}
