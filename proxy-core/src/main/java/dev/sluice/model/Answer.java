package dev.sluice.model;

/** What becomes of a new connection, or of a datagram without a session. */
public enum Answer {
    /** It goes to an endpoint. */
    SERVE,
    /** The client is told at once that nobody is there: no endpoint is left anywhere. */
    REFUSE,
    /**
     * The client hears nothing: the policy wants an endpoint on this node, and there are only
     * others. A refusal would make a load balancer give the Service up.
     */
    DROP
}
