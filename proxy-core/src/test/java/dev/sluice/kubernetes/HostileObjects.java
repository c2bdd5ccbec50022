package dev.sluice.kubernetes;

import io.fabric8.kubernetes.api.model.ClientIPConfig;
import io.fabric8.kubernetes.api.model.LoadBalancerIngress;
import io.fabric8.kubernetes.api.model.LoadBalancerStatus;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.fabric8.kubernetes.api.model.ServiceSpec;
import io.fabric8.kubernetes.api.model.ServiceStatus;
import io.fabric8.kubernetes.api.model.SessionAffinityConfig;
import io.fabric8.kubernetes.api.model.discovery.v1.Endpoint;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointConditions;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointHints;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointPort;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.api.model.discovery.v1.ForNode;
import io.fabric8.kubernetes.api.model.discovery.v1.ForZone;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes Services and slices of odd values. Each object has a rate of its own at which its values
 * are odd: half of the objects have few of them, so that these come through to the model.
 *
 * <p>Threads: one.
 */
final class HostileObjects {
    private static final String[] GOOD_ADDRESSES = {
        "10.96.0.1",
        "10.96.0.2",
        "10.96.0.3",
        "10.96.0.4",
        "10.96.0.5",
        "198.51.100.7",
        "203.0.113.9",
        "192.0.2.1",
        "192.0.2.2",
        "10.244.0.5",
        "10.244.0.6",
        "fd00:96::1",
        "fd00::5"
    };
    private static final @Nullable String[] ODD_ADDRESSES = {
        null,
        "",
        "None",
        "127.0.0.1",
        "127.1",
        "::1",
        "0.0.0.0",
        "::",
        "169.254.169.254",
        "fe80::1",
        "fe80::1%eth0",
        "224.0.0.1",
        "ff02::1",
        "255.255.255.255",
        "10.010.0.1",
        " 10.0.0.1",
        "::ffff:127.0.0.1",
        "pod.example",
        "10.0.0.0/8",
        "1e3",
        "a\nb",
        "x".repeat(5000)
    };
    private static final @Nullable Integer[] ODD_NUMBERS = {
        null, 0, -1, 65_536, Integer.MAX_VALUE, Integer.MIN_VALUE, 22, 6443
    };
    private static final @Nullable String[] ODD_TEXTS = {
        null,
        "",
        "Local",
        "Cluster",
        "ClientIP",
        "VIP",
        "Proxy",
        "UDP",
        "SCTP",
        "tcp",
        "None",
        "ExternalName",
        "-j ACCEPT",
        "a\"b",
        "\u0000",
        "x".repeat(300),
        "IPv6",
        "FQDN",
        "a",
        "z1"
    };

    private final Random random;

    /** Of a hundred values of the object that is being made, so many are odd. */
    private int oddRate;

    HostileObjects(Random random) {
        this.random = random;
    }

    /** So many Services with a slice each, of few names, so that they meet. */
    KubernetesObjects pairs(int count) {
        List<Service> services = new ArrayList<>();
        List<EndpointSlice> slices = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String name = "s" + random.nextInt(count * 2);
            services.add(service(name));
            slices.add(slice(name, i));
        }
        return new KubernetesObjects(services, slices, List.of());
    }

    private void nextObject() {
        oddRate = random.nextBoolean() ? 2 : 25;
    }

    private Service service(String name) {
        nextObject();
        Service service = new Service();
        service.setMetadata(orNull(() -> metadata(name, Map.of())));
        service.setSpec(orNull(this::spec));
        service.setStatus(orNull(this::status));
        return service;
    }

    private ObjectMeta metadata(String name, Map<String, @Nullable String> labels) {
        ObjectMeta metadata = new ObjectMeta();
        metadata.setNamespace(text("default"));
        metadata.setName(text(name));
        Map<String, @Nullable String> all = new HashMap<>(labels);
        if (odd()) {
            all.put(WellKnownLabels.SERVICE_PROXY_NAME, text("other"));
        }
        if (odd()) {
            all.put(WellKnownLabels.HEADLESS, "");
        }
        metadata.setLabels(all);
        metadata.setCreationTimestamp(text("2024-01-0" + (1 + random.nextInt(9)) + "T00:00:00Z"));
        return metadata;
    }

    private ServiceSpec spec() {
        ServiceSpec spec = new ServiceSpec();
        String clusterIp = goodAddress();
        spec.setType(text(one("ClusterIP", "NodePort", "LoadBalancer")));
        spec.setClusterIP(odd() ? oddAddress() : clusterIp);
        spec.setClusterIPs(odd() ? addresses(3) : null);
        spec.setPorts(orNull(() -> list(3, this::servicePort)));
        spec.setExternalIPs(addresses(odd() ? 200 : 2));
        spec.setLoadBalancerSourceRanges(
                random.nextInt(3) > 0 ? null : list(3, () -> text(one("10.0.0.0/8", "::/0"))));
        spec.setInternalTrafficPolicy(text(one("Cluster", "Local")));
        spec.setExternalTrafficPolicy(text(one("Cluster", "Local")));
        spec.setHealthCheckNodePort(number(32_000 + random.nextInt(10)));
        spec.setSessionAffinity(text(one("None", "ClientIP")));
        if (random.nextInt(4) == 0) {
            spec.setSessionAffinityConfig(
                    new SessionAffinityConfig(orNull(() -> new ClientIPConfig(number(60)))));
        }
        return spec;
    }

    private ServicePort servicePort() {
        ServicePort port = new ServicePort();
        port.setName(text("p" + random.nextInt(3)));
        port.setPort(number(80 + random.nextInt(3)));
        port.setNodePort(random.nextBoolean() ? number(30_000 + random.nextInt(20)) : null);
        port.setProtocol(text(one("TCP", "UDP")));
        return port;
    }

    private ServiceStatus status() {
        ServiceStatus status = new ServiceStatus();
        status.setLoadBalancer(
                orNull(
                        () -> {
                            LoadBalancerStatus balancer = new LoadBalancerStatus();
                            balancer.setIngress(orNull(() -> list(3, this::ingress)));
                            return balancer;
                        }));
        return status;
    }

    private LoadBalancerIngress ingress() {
        LoadBalancerIngress ingress = new LoadBalancerIngress();
        ingress.setIp(address());
        ingress.setIpMode(odd() ? text("VIP") : null);
        ingress.setHostname(odd() ? "lb.example.com" : null);
        return ingress;
    }

    private EndpointSlice slice(String service, int number) {
        nextObject();
        EndpointSlice slice = new EndpointSlice();
        Map<String, @Nullable String> labels = new HashMap<>();
        labels.put(WellKnownLabels.SERVICE_NAME, text(service));
        slice.setMetadata(orNull(() -> metadata(service + "-" + number, labels)));
        slice.setAddressType(text(one("IPv4", "IPv4", "IPv6")));
        slice.setEndpoints(orNull(() -> list(4, this::endpoint)));
        slice.setPorts(orNull(() -> list(3, this::endpointPort)));
        return slice;
    }

    private EndpointPort endpointPort() {
        EndpointPort port = new EndpointPort();
        port.setName(text("p" + random.nextInt(3)));
        port.setPort(number(80 + random.nextInt(3)));
        port.setProtocol(text(one("TCP", "UDP")));
        return port;
    }

    private Endpoint endpoint() {
        Endpoint endpoint = new Endpoint();
        endpoint.setAddresses(orNull(() -> list(odd() ? 200 : 1, this::address)));
        endpoint.setConditions(
                orNull(() -> new EndpointConditions(condition(), condition(), condition())));
        endpoint.setNodeName(text(one("a", "b")));
        if (random.nextBoolean()) {
            EndpointHints hints = new EndpointHints();
            hints.setForNodes(orNull(() -> list(2, () -> new ForNode(text(one("a", "b"))))));
            hints.setForZones(orNull(() -> list(2, () -> new ForZone(text(one("z1", "z2"))))));
            endpoint.setHints(hints);
        }
        return endpoint;
    }

    private boolean odd() {
        return random.nextInt(100) < oddRate;
    }

    private <T> @Nullable T orNull(Supplier<T> value) {
        return odd() ? null : value.get();
    }

    private <T> List<@Nullable T> list(int most, Supplier<@Nullable T> element) {
        List<@Nullable T> list = new ArrayList<>();
        for (int i = random.nextInt(most + 1); i > 0; i--) {
            list.add(odd() ? null : element.get());
        }
        return list;
    }

    private List<@Nullable String> addresses(int most) {
        return list(most, this::address);
    }

    private @Nullable String address() {
        return odd() ? oddAddress() : goodAddress();
    }

    private String goodAddress() {
        return one(GOOD_ADDRESSES);
    }

    private @Nullable String oddAddress() {
        return ODD_ADDRESSES[random.nextInt(ODD_ADDRESSES.length)];
    }

    private @Nullable Integer number(int usual) {
        return odd() ? ODD_NUMBERS[random.nextInt(ODD_NUMBERS.length)] : Integer.valueOf(usual);
    }

    private @Nullable String text(String usual) {
        return odd() ? ODD_TEXTS[random.nextInt(ODD_TEXTS.length)] : usual;
    }

    private @Nullable Boolean condition() {
        int one = random.nextInt(4);
        return one == 3 ? null : Boolean.valueOf(one > 0);
    }

    private String one(String... values) {
        return values[random.nextInt(values.length)];
    }
}
