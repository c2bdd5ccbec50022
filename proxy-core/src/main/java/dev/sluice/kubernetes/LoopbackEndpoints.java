package dev.sluice.kubernetes;

/**
 * Whether endpoints in {@code 127.0.0.0/8} and {@code ::1} are served.
 *
 * <p>Immutable; any thread.
 */
enum LoopbackEndpoints {
    /**
     * For a node: such an endpoint would open the node's own services to every client
     * (CVE-2021-25737).
     */
    REFUSED,
    /** For demonstrations and tests, where no foreign traffic is redirected to the proxy. */
    ALLOWED
}
