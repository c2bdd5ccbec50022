package dev.sluice.kubernetes;

/** Whether the API server may be reached through a ClusterIP that the proxy serves. */
enum ApiServerVip {
    /**
     * Where ClusterIPs are redirected: the proxy would need itself to learn where the API server
     * is.
     */
    REFUSED,
    /** Where no traffic is captured. */
    ALLOWED
}
