package dev.sluice.kubernetes;

import dev.sluice.model.Endpoint;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointConditions;
import org.jspecify.annotations.Nullable;

/**
 * An endpoint as one slice lists it, before it is decided which ones new connections may use.
 *
 * <p>Immutable; any thread.
 */
record EndpointCandidate(Endpoint endpoint, State state, EndpointTopology topology) {

    /** What the conditions say, best first. */
    enum State {
        READY,
        /** Ends, but still answers; for the time in which nothing else is left (KEP-1669). */
        SERVING_TERMINATING,
        UNUSABLE;

        /**
         * Reads {@code endpoints[].conditions}: {@code ready} absent means true, {@code serving}
         * absent means the same as {@code ready}, {@code terminating} absent means false.
         */
        static State of(@Nullable EndpointConditions conditions) {
            if (conditions == null) {
                return READY;
            }
            @Nullable Boolean ready = conditions.getReady();
            @Nullable Boolean serving = conditions.getServing();
            // Ready wins over terminating: with publishNotReadyAddresses both are set.
            if (ready == null || ready) {
                return READY;
            }
            boolean terminating = Boolean.TRUE.equals(conditions.getTerminating());
            return terminating && Boolean.TRUE.equals(serving) ? SERVING_TERMINATING : UNUSABLE;
        }

        /** The better of the two. */
        State or(State other) {
            return compareTo(other) <= 0 ? this : other;
        }
    }
}
