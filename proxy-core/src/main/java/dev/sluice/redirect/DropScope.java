package dev.sluice.redirect;

/** Whose new connections are dropped at a front end. */
public enum DropScope {
    /** Those of all clients. */
    EVERYONE,
    /** Those of clients that are neither this node nor one of its pods. */
    ELSEWHERE
}
