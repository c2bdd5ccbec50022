package dev.sluice.kubernetes;

/** Labels of Services, EndpointSlices and Nodes that decide who serves whom. */
final class WellKnownLabels {
    /** On a slice: the Service that it belongs to. */
    static final String SERVICE_NAME = "kubernetes.io/service-name";

    /** With any value: another proxy serves the Service. */
    static final String SERVICE_PROXY_NAME = "service.kubernetes.io/service-proxy-name";

    /** With any value: nobody proxies the Service. */
    static final String HEADLESS = "service.kubernetes.io/headless";

    /** On a Node: where it is. */
    static final String ZONE = "topology.kubernetes.io/zone";

    private WellKnownLabels() {}
}
