package dev.sluice.e2e;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A Service with any fields and with endpoints on nodes, as a file of manifests.
 *
 * <p>Immutable; any thread.
 *
 * @param spec lines of the spec beside ClusterIPs and selector, and of the status, YAML flow style
 * @param ports entries of {@code spec.ports}, YAML flow style
 */
record ServiceText(
        String name,
        List<String> clusterIps,
        List<String> ports,
        String spec,
        String status,
        List<EndpointText> endpoints) {

    /** An endpoint with its conditions and node. */
    record EndpointText(String address, String node, String conditions) {}

    /** A Service with port {@code http} (TCP 80) or {@code dns} (UDP 53), or both. */
    static ServiceText named(String name, String... clusterIps) {
        return new ServiceText(
                name, List.of(clusterIps), List.of(), "type: ClusterIP", "{}", List.of());
    }

    ServiceText withPort(String port) {
        List<String> more = new ArrayList<>(ports);
        more.add(port);
        return new ServiceText(name, clusterIps, more, spec, status, endpoints);
    }

    /** The same without its ports. */
    ServiceText withoutPorts() {
        return new ServiceText(name, clusterIps, List.of(), spec, status, endpoints);
    }

    ServiceText withSpec(String lines) {
        return new ServiceText(name, clusterIps, ports, lines, status, endpoints);
    }

    ServiceText withStatus(String flow) {
        return new ServiceText(name, clusterIps, ports, spec, flow, endpoints);
    }

    /** Both addresses of a pod, on a node. */
    ServiceText with(Pod pod, String node, String conditions) {
        List<EndpointText> more = new ArrayList<>(endpoints);
        for (String address : List.of(pod.ipv4(), pod.ipv6())) {
            more.add(new EndpointText(address, node, conditions));
        }
        return new ServiceText(name, clusterIps, ports, spec, status, more);
    }

    /** Ready on a node. */
    ServiceText with(Pod pod, String node) {
        return with(pod, node, "{ready: true}");
    }

    ServiceText withoutEndpoints() {
        return new ServiceText(name, clusterIps, ports, spec, status, List.of());
    }

    String yaml() {
        return """
                apiVersion: v1
                kind: Service
                metadata: {name: %s}
                spec:
                  clusterIP: "%s"
                  clusterIPs: [%s]
                  ports: [%s]
                  %s
                status: %s
                ---
                %s---
                %s"""
                .formatted(
                        name,
                        clusterIps.get(0),
                        clusterIps.stream()
                                .map(address -> "\"" + address + "\"")
                                .collect(Collectors.joining(", ")),
                        String.join(", ", ports),
                        spec.replace("\n", "\n  "),
                        status,
                        slice("IPv4", endpoints.stream().filter(e -> !e.address.contains(":"))),
                        slice("IPv6", endpoints.stream().filter(e -> e.address.contains(":"))));
    }

    private String slice(String family, Stream<EndpointText> some) {
        return """
        apiVersion: discovery.k8s.io/v1
        kind: EndpointSlice
        metadata: {name: %s-%s, labels: {kubernetes.io/service-name: %s}}
        addressType: %s
        ports:
        - {name: http, port: %d}
        - {name: dns, port: %d, protocol: UDP}
        - {name: dns-tcp, port: %d}
        endpoints: [%s]
        """
                .formatted(
                        name,
                        family.equals("IPv4") ? "four" : "six",
                        name,
                        family,
                        Pod.PORT,
                        Pod.PORT,
                        Pod.PORT,
                        some.map(
                                        e ->
                                                "{addresses: [\"%s\"], nodeName: %s, conditions: %s}"
                                                        .formatted(e.address, e.node, e.conditions))
                                .collect(Collectors.joining(", ")));
    }
}
