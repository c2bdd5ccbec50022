package dev.sluice.model;

/** Where a client is, as {@link LocalSources} tells. */
public enum ClientPlace {
    /** This node itself, or one of its pods. */
    THIS_NODE,
    ELSEWHERE
}
