package dev.sluice.model;

/** Why an address and port belong to a Service. */
public enum FrontEndKind {
    /** {@code spec.clusterIPs}. */
    CLUSTER_IP,
    /** {@code spec.ports[].nodePort} on an address of this node. */
    NODE_PORT,
    /** {@code status.loadBalancer.ingress[].ip} with {@code ipMode} VIP (KEP-1860). */
    LOAD_BALANCER_IP,
    /** {@code spec.externalIPs}. */
    EXTERNAL_IP;

    /**
     * Whether {@code externalTrafficPolicy} rules it; otherwise {@code internalTrafficPolicy} does.
     */
    public boolean isExternal() {
        return this != CLUSTER_IP;
    }
}
