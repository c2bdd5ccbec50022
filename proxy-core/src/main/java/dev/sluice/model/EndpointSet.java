package dev.sluice.model;

/** A choice among the endpoints of a Service port. */
public enum EndpointSet {
    /** All that may be used, narrowed by topology hints (KEP-2433). */
    CLUSTER,
    /** Those on this node. */
    LOCAL
}
