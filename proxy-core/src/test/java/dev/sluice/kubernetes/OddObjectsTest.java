package dev.sluice.kubernetes;

import static dev.sluice.kubernetes.KubernetesFixtures.build;
import static dev.sluice.kubernetes.KubernetesFixtures.endpointsOf;
import static dev.sluice.kubernetes.KubernetesFixtures.names;
import static dev.sluice.kubernetes.KubernetesFixtures.problems;
import static dev.sluice.kubernetes.KubernetesFixtures.ready;
import static dev.sluice.kubernetes.KubernetesFixtures.service;
import static dev.sluice.kubernetes.KubernetesFixtures.slice;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.ServiceSnapshot;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServicePortBuilder;
import io.fabric8.kubernetes.api.model.ServiceSpec;
import io.fabric8.kubernetes.api.model.discovery.v1.Endpoint;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Objects that no API server would accept, beside good ones that must not notice. */
class OddObjectsTest {
    private static final String LABEL_RULE =
            "is not a label of at most 63 of a-z, 0-9 and '-' (RFC 1123)";

    @ParameterizedTest(name = "{0}")
    @MethodSource
    void anOddServiceIsNamedAndOthersAreServed(Consumer<Service> change, List<String> expected) {
        Service odd = service("odd", "10.96.0.66");
        change.accept(odd);

        ServiceSnapshot snapshot =
                build(
                        odd,
                        slice("odd-1", "odd", ready("10.244.6.6")),
                        service("web", "10.96.0.1"),
                        slice("web-1", "web", ready("10.244.0.5")));

        assertThat(names(snapshot)).containsExactly("web/http");
        assertThat(endpointsOf(snapshot, "web")).containsExactly("10.244.0.5:8080");
        assertThat(problems(snapshot)).isEqualTo(expected);
    }

    static Stream<Arguments> anOddServiceIsNamedAndOthersAreServed() {
        return Stream.of(
                odd(s -> s.setMetadata(null), "Service ?/?: metadata is missing"),
                odd(
                        s -> s.setMetadata(new ObjectMeta()),
                        "Service ?/?: metadata.name is missing",
                        "Service ?/?: metadata.namespace is missing"),
                odd(
                        s -> s.getMetadata().setName("a\n-j ACCEPT"),
                        "Service default/a?-j ACCEPT: metadata.name 'a?-j ACCEPT' " + LABEL_RULE),
                odd(
                        s -> s.getMetadata().setName("web"),
                        "Service default/web: metadata.name 'web' stands twice"),
                odd(s -> s.setSpec(null), "Service default/odd: spec is missing"),
                odd(
                        s -> s.getSpec().setType("Exotic"),
                        "Service default/odd: spec.type 'Exotic' is not one of ClusterIP, NodePort,"
                                + " LoadBalancer, ExternalName"),
                odd(
                        s -> clusterIps(s.getSpec(), null),
                        "Service default/odd: spec.clusterIP is missing"),
                odd(
                        s -> clusterIps(s.getSpec(), "10.010.0.1", "10.010.0.1"),
                        "Service default/odd: spec.clusterIPs[0] '10.010.0.1' is not an IP address:"
                                + " leading zeros are ambiguous (octal or decimal)"),
                odd(
                        s -> clusterIps(s.getSpec(), "10.96.0.66", "10.96.0.67"),
                        "Service default/odd: spec.clusterIP '10.96.0.66' differs from"
                                + " spec.clusterIPs[0]"),
                odd(
                        s -> clusterIps(s.getSpec(), "10.96.0.66", "10.96.0.66", "10.96.0.67"),
                        "Service default/odd: spec.clusterIPs[1] '10.96.0.67' is of the same family"
                                + " as the first"),
                odd(
                        s -> clusterIps(s.getSpec(), "10.96.0.66", "10.96.0.66", "::1", "fd00::1"),
                        "Service default/odd: spec.clusterIPs '3 addresses' are more than 2"),
                odd(
                        s -> clusterIps(s.getSpec(), "10.96.0.66", "10.96.0.66", null),
                        "Service default/odd: spec.clusterIPs[1] is missing"),
                odd(
                        s -> clusterIps(s.getSpec(), "224.0.0.1", "224.0.0.1"),
                        "Service default/odd: spec.clusterIPs[0] '224.0.0.1' is a multicast address,"
                                + " which is never served"),
                odd(
                        s -> s.getSpec().setSessionAffinity("clientip"),
                        "Service default/odd: spec.sessionAffinity 'clientip' is not one of None,"
                                + " ClientIP"),
                odd(s -> s.getSpec().setPorts(null), "Service default/odd: spec.ports is missing"),
                odd(
                        s -> s.getSpec().setPorts(List.of()),
                        "Service default/odd: spec.ports is missing"),
                odd(
                        s -> s.getSpec().setPorts(Collections.singletonList(null)),
                        "Service default/odd: spec.ports[0] is missing"),
                odd(port(null), "Service default/odd: spec.ports[0].port is missing"),
                odd(port(-1), "Service default/odd: spec.ports[0].port '-1' is not in 1..65535"),
                odd(
                        port(65_536),
                        "Service default/odd: spec.ports[0].port '65536' is not in 1..65535"),
                odd(
                        s -> s.getSpec().getPorts().get(0).setProtocol("tcp"),
                        "Service default/odd: spec.ports[0].protocol 'tcp' is not one of TCP, UDP,"
                                + " SCTP"),
                odd(
                        s -> s.getSpec().getPorts().get(0).setName("x".repeat(300)),
                        "Service default/odd: spec.ports[0].name '"
                                + "x".repeat(80)
                                + "…' "
                                + LABEL_RULE));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource
    void anOddSliceIsNamedAndOthersAreServed(
            Consumer<EndpointSlice> change, List<String> expected) {
        EndpointSlice odd = slice("web-0", "web", ready("10.244.6.6"));
        change.accept(odd);

        ServiceSnapshot snapshot =
                build(service("web", "10.96.0.1"), odd, slice("web-1", "web", ready("10.244.0.5")));

        assertThat(endpointsOf(snapshot, "web")).containsExactly("10.244.0.5:8080");
        assertThat(problems(snapshot)).isEqualTo(expected);
    }

    static Stream<Arguments> anOddSliceIsNamedAndOthersAreServed() {
        return Stream.of(
                oddSlice(s -> s.setMetadata(null)),
                oddSlice(s -> s.getMetadata().setNamespace(null)),
                oddSlice(s -> s.getMetadata().setLabels(null)),
                oddSlice(s -> s.setAddressType("FQDN")),
                oddSlice(
                        s -> s.setAddressType(null),
                        "EndpointSlice default/web-0: addressType is not one of IPv4, IPv6, FQDN"),
                oddSlice(
                        s -> s.setAddressType("IP"),
                        "EndpointSlice default/web-0: addressType 'IP' is not one of IPv4, IPv6,"
                                + " FQDN"),
                oddSlice(s -> s.setPorts(null)),
                oddSlice(s -> s.setPorts(List.of())),
                oddSlice(
                        s -> s.setPorts(Collections.singletonList(null)),
                        "EndpointSlice default/web-0: ports[0].name is missing"),
                oddSlice(
                        s -> s.getPorts().get(0).setPort(null),
                        "EndpointSlice default/web-0: ports[0].port is missing"),
                oddSlice(
                        s -> s.getPorts().get(0).setPort(0),
                        "EndpointSlice default/web-0: ports[0].port '0' is not in 1..65535"),
                oddSlice(
                        s -> s.getPorts().get(0).setProtocol("ICMP"),
                        "EndpointSlice default/web-0: ports[0].protocol 'ICMP' is not one of TCP,"
                                + " UDP, SCTP"),
                oddSlice(s -> s.setEndpoints(null)),
                oddSlice(
                        s -> s.setEndpoints(Collections.singletonList(null)),
                        "EndpointSlice default/web-0: endpoints[0] is missing"),
                oddSlice(
                        s -> s.getEndpoints().get(0).setAddresses(null),
                        "EndpointSlice default/web-0: endpoints[0].addresses[0] is missing"),
                oddSlice(
                        s -> s.getEndpoints().get(0).setAddresses(Collections.singletonList(null)),
                        "EndpointSlice default/web-0: endpoints[0].addresses[0] is missing"),
                oddSlice(
                        s -> s.getEndpoints().get(0).setAddresses(List.of("pod.example")),
                        "EndpointSlice default/web-0: endpoints[0].addresses[0] 'pod.example' is"
                                + " not an IP address: an IPv4 address has four numbers from 0 to"
                                + " 255"));
    }

    @Test
    void manyPortsAndEndpointsAreServed() {
        Service big = service("big", "10.200.0.1");
        big.getSpec()
                .setPorts(
                        IntStream.rangeClosed(1, 1000)
                                .mapToObj(
                                        i ->
                                                new ServicePortBuilder()
                                                        .withName("p" + i)
                                                        .withPort(i)
                                                        .build())
                                .toList());
        EndpointSlice[] slices =
                IntStream.range(0, 100)
                        .mapToObj(OddObjectsTest::fullSlice)
                        .toArray(EndpointSlice[]::new);
        Object[] all = Stream.concat(Stream.of(big), Arrays.stream(slices)).toArray();

        ServiceSnapshot snapshot = build(all);

        assertThat(snapshot.servicePorts()).hasSize(1000);
        assertThat(endpointsOf(snapshot, "big")).hasSize(100_000);
        assertThat(snapshot.problems()).isEmpty();
    }

    private static EndpointSlice fullSlice(int number) {
        EndpointSlice slice =
                slice(
                        "big-" + number,
                        "big",
                        IntStream.range(0, 1000)
                                .mapToObj(
                                        i -> ready("10." + number + "." + i / 250 + "." + i % 250))
                                .toArray(Endpoint[]::new));
        slice.getPorts().get(0).setName("p1");
        return slice;
    }

    private static Arguments odd(Consumer<Service> change, String... expected) {
        return Arguments.of(change, List.of(expected));
    }

    private static Arguments oddSlice(Consumer<EndpointSlice> change, String... expected) {
        return Arguments.of(change, List.of(expected));
    }

    private static Consumer<Service> port(@Nullable Integer port) {
        return service -> service.getSpec().getPorts().get(0).setPort(port);
    }

    private static void clusterIps(
            ServiceSpec spec, @Nullable String first, @Nullable String... all) {
        spec.setClusterIP(first);
        spec.setClusterIPs(Arrays.asList(all));
    }
}
