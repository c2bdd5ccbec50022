package dev.sluice.e2e;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A Service with one port and its EndpointSlices, as a file of manifests.
 *
 * <p>Immutable; any thread.
 *
 * @param name of the Service, in the namespace {@code default}
 * @param port of the ClusterIPs
 * @param affinity lines of the spec, without indentation
 * @param endpoints addresses of either family
 */
record ServiceManifest(
        String name, List<String> clusterIps, int port, String affinity, List<String> endpoints) {
    /** Port 80 of these ClusterIPs, without endpoints and affinity. */
    static ServiceManifest named(String name, String... clusterIps) {
        return new ServiceManifest(
                name, List.of(clusterIps), 80, "sessionAffinity: None", List.of());
    }

    ServiceManifest withPort(int value) {
        return new ServiceManifest(name, clusterIps, value, affinity, endpoints);
    }

    ServiceManifest withClusterIps(String... values) {
        return new ServiceManifest(name, List.of(values), port, affinity, endpoints);
    }

    ServiceManifest withClientIpAffinity(int timeoutSeconds) {
        String lines =
                "sessionAffinity: ClientIP\n  sessionAffinityConfig: {clientIP: {timeoutSeconds: %d}}";
        return new ServiceManifest(
                name, clusterIps, port, lines.formatted(timeoutSeconds), endpoints);
    }

    ServiceManifest withEndpoints(String... addresses) {
        return new ServiceManifest(name, clusterIps, port, affinity, List.of(addresses));
    }

    /** Both addresses of each pod. */
    ServiceManifest withEndpoints(Pod... pods) {
        return withEndpoints(
                Arrays.stream(pods)
                        .flatMap(pod -> Stream.of(pod.ipv4(), pod.ipv6()))
                        .toArray(String[]::new));
    }

    String yaml() {
        List<String> documents = new ArrayList<>();
        documents.add(
                """
                apiVersion: v1
                kind: Service
                metadata: {name: %s}
                spec:
                  clusterIP: "%s"
                  clusterIPs: [%s]
                  ports: [{name: http, port: %d, targetPort: %d}]
                  %s
                """
                        .formatted(
                                name,
                                clusterIps.get(0),
                                quoted(clusterIps.stream()),
                                port,
                                Pod.PORT,
                                affinity));
        documents.add(slice("IPv4", endpoints.stream().filter(address -> !isIpv6(address))));
        documents.add(slice("IPv6", endpoints.stream().filter(ServiceManifest::isIpv6)));
        return String.join("---\n", documents);
    }

    private String slice(String family, Stream<String> addresses) {
        return """
        apiVersion: discovery.k8s.io/v1
        kind: EndpointSlice
        metadata: {name: %s-%s, labels: {kubernetes.io/service-name: %s}}
        addressType: %s
        ports: [{name: http, port: %d}]
        endpoints: [%s]
        """
                .formatted(
                        name,
                        family.toLowerCase(Locale.ROOT),
                        name,
                        family,
                        Pod.PORT,
                        addresses
                                .map(address -> "{addresses: [\"" + address + "\"]}")
                                .collect(Collectors.joining(", ")));
    }

    private static String quoted(Stream<String> words) {
        return words.map(word -> '"' + word + '"').collect(Collectors.joining(", "));
    }

    private static boolean isIpv6(String address) {
        return address.contains(":");
    }
}
