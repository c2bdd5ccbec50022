package dev.sluice.cluster;

import dev.sluice.e2e.Pod;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * A Service without selector whose endpoints are written by hand, in both forms that Kubernetes
 * 1.20 has, since proxies differ in which one they read.
 *
 * <p>Immutable; any thread.
 *
 * @param name of the Service, in the namespace {@code default}
 * @param clusterIp of 10.96.0.0/16, port 80
 * @param affinity entries of the spec
 */
record HandMadeService(String name, String clusterIp, String affinity) {
    static HandMadeService of(String name, String clusterIp) {
        return new HandMadeService(name, clusterIp, "sessionAffinity: None");
    }

    HandMadeService withClientIpAffinity(int timeoutSeconds) {
        return new HandMadeService(
                name,
                clusterIp,
                "sessionAffinity: ClientIP, sessionAffinityConfig: {clientIP: {timeoutSeconds: %d}}"
                        .formatted(timeoutSeconds));
    }

    InetSocketAddress address() {
        return new InetSocketAddress(clusterIp, 80);
    }

    /** The Service and its endpoints. */
    String yaml(Pod... pods) {
        return serviceYaml() + "---\n" + endpointsYaml(pods);
    }

    String serviceYaml() {
        return """
        apiVersion: v1
        kind: Service
        metadata: {name: %s}
        spec: {clusterIP: %s, ports: [{name: http, port: 80, targetPort: %d}], %s}
        """
                .formatted(name, clusterIp, Pod.PORT, affinity);
    }

    /** The endpoints alone. The controllers leave them alone. */
    String endpointsYaml(Pod... pods) {
        String addresses =
                Arrays.stream(pods)
                        .map(pod -> "{ip: " + pod.ipv4() + "}")
                        .collect(Collectors.joining(", "));
        String subsets =
                pods.length == 0
                        ? ""
                        : "{addresses: ["
                                + addresses
                                + "], ports: [{name: http, port: "
                                + Pod.PORT
                                + "}]}";
        String endpoints =
                Arrays.stream(pods)
                        .map(pod -> "{addresses: [" + pod.ipv4() + "], conditions: {ready: true}}")
                        .collect(Collectors.joining(", "));
        return """
        apiVersion: v1
        kind: Endpoints
        metadata: {name: %1$s, labels: {endpointslice.kubernetes.io/skip-mirror: "true"}}
        subsets: [%2$s]
        ---
        apiVersion: discovery.k8s.io/v1beta1
        kind: EndpointSlice
        metadata: {name: %1$s-1, labels: {kubernetes.io/service-name: %1$s}}
        addressType: IPv4
        ports: [{name: http, port: %3$d}]
        endpoints: [%4$s]
        """
                .formatted(name, subsets, Pod.PORT, endpoints);
    }
}
