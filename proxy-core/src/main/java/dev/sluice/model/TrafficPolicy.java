package dev.sluice.model;

/**
 * Which endpoints traffic of one kind may go to ({@code spec.internalTrafficPolicy}, {@code
 * spec.externalTrafficPolicy}).
 */
public enum TrafficPolicy {
    /** All of them. */
    CLUSTER,
    /** Those on the node where the traffic is; never any other. */
    LOCAL
}
