package dev.sluice.kubernetes;

import static dev.sluice.kubernetes.KubernetesFixtures.NODE;
import static dev.sluice.kubernetes.KubernetesFixtures.build;
import static dev.sluice.kubernetes.KubernetesFixtures.endpointsOf;
import static dev.sluice.kubernetes.KubernetesFixtures.freshBuilder;
import static dev.sluice.kubernetes.KubernetesFixtures.loadBalancer;
import static dev.sluice.kubernetes.KubernetesFixtures.objects;
import static dev.sluice.kubernetes.KubernetesFixtures.problems;
import static dev.sluice.kubernetes.KubernetesFixtures.ready;
import static dev.sluice.kubernetes.KubernetesFixtures.service;
import static dev.sluice.kubernetes.KubernetesFixtures.slice;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.ServicePort;
import dev.sluice.model.ServiceSnapshot;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import org.junit.jupiter.api.Test;

/** Which of several Services has an address and port that they all want. */
class FrontEndClaimsTest {
    private static final String OLD = "2024-01-01T00:00:00Z";
    private static final String NEW = "2025-01-01T00:00:00Z";

    @Test
    void aNodePortOfTwoServicesIsTheOlderOnesAndTheOtherKeepsItsClusterIp() {
        Service newer = at("a", "10.96.0.1", NEW);
        Service older = at("z", "10.96.0.2", OLD);
        newer.getSpec().getPorts().get(0).setNodePort(30080);
        older.getSpec().getPorts().get(0).setNodePort(30080);

        ServiceSnapshot snapshot = build(newer, older);

        assertThat(frontEnds(snapshot, "z"))
                .isEqualTo("[10.96.0.2:80/tcp, 192.0.2.1:30080/tcp, [fd00:2::1]:30080/tcp]");
        assertThat(frontEnds(snapshot, "a")).isEqualTo("[10.96.0.1:80/tcp]");
        assertThat(problems(snapshot))
                .containsExactly(
                        "Service default/a: spec.ports[0].nodePort '192.0.2.1:30080/tcp' is served"
                                + " for default/z:http/tcp");
    }

    @Test
    void theSameNodePortForTcpAndUdpIsNoConflict() {
        Service dns = at("a", "10.96.0.1", NEW);
        dns.getSpec().getPorts().get(0).setNodePort(30053);
        Service udp = at("b", "10.96.0.1", NEW);
        udp.getSpec().getPorts().get(0).setNodePort(30053);
        udp.getSpec().getPorts().get(0).setProtocol("UDP");

        ServiceSnapshot snapshot = build(dns, udp);

        assertThat(frontEnds(snapshot, "b")).contains("192.0.2.1:30053/udp");
        assertThat(snapshot.problems()).isEmpty();
    }

    /** However old the Service with the load balancer is. */
    @Test
    void noLoadBalancerTakesAClusterIp() {
        Service balanced = loadBalancer("a", "10.96.0.9", "198.51.100.7");
        balanced.getMetadata().setCreationTimestamp(OLD);
        Service victim = at("b", "10.96.0.9", NEW);

        ServiceSnapshot snapshot = build(balanced, victim);

        assertThat(frontEnds(snapshot, "b")).isEqualTo("[10.96.0.9:80/tcp]");
        assertThat(frontEnds(snapshot, "a"))
                .contains("198.51.100.7:80")
                .doesNotContain("10.96.0.9");
        assertThat(problems(snapshot))
                .containsExactly(
                        "Service default/a: status.loadBalancer.ingress '10.96.0.9:80/tcp' is"
                                + " served for default/b:http/tcp");
    }

    @Test
    void noLoadBalancerTakesANodePort() {
        Service balanced = loadBalancer("a", "192.0.2.1");
        balanced.getSpec().getPorts().get(0).setPort(30081);
        Service victim = at("b", "10.96.0.2", NEW);
        victim.getSpec().getPorts().get(0).setNodePort(30081);

        ServiceSnapshot snapshot = build(balanced, victim);

        assertThat(frontEnds(snapshot, "b")).contains("192.0.2.1:30081/tcp");
        assertThat(frontEnds(snapshot, "a")).doesNotContain("192.0.2.1:30081/tcp");
    }

    @Test
    void anAddressInTwoListsOfOneServiceIsNoConflict() {
        Service web = loadBalancer("web", "10.96.0.1", "10.96.0.1");

        ServiceSnapshot snapshot = build(web);

        assertThat(snapshot.problems()).isEmpty();
        assertThat(snapshot.servicePorts()).hasSize(1);
    }

    @Test
    void aServicePortWithoutItsClusterIpTakesNothingElse() {
        Service first = at("a", "10.96.0.1", OLD);
        Service second = at("b", "10.96.0.1", NEW);
        second.getSpec().getPorts().get(0).setNodePort(30080);
        Service third = at("c", "10.96.0.3", NEW);
        third.getSpec().getPorts().get(0).setNodePort(30080);

        ServiceSnapshot snapshot = build(first, second, third);

        assertThat(snapshot.servicePorts()).hasSize(2);
        assertThat(frontEnds(snapshot, "c")).contains("192.0.2.1:30080/tcp");
    }

    @Test
    void aFrontEndIsFreeWhenItsOwnerHasGone() {
        SnapshotBuilder builder = freshBuilder();
        Service older = at("a", "10.96.0.1", OLD);
        Service newer = at("b", "10.96.0.2", NEW);
        older.getSpec().getPorts().get(0).setNodePort(30080);
        newer.getSpec().getPorts().get(0).setNodePort(30080);
        builder.build(objects(older, newer), NODE);

        ServiceSnapshot left = builder.build(objects(newer), NODE);

        assertThat(frontEnds(left, "b")).contains("192.0.2.1:30080/tcp");
        assertThat(left.problems()).isEmpty();
    }

    /** The pod of a node's own network that a load balancer's address would hide. */
    @Test
    void f20AnEndpointThatIsAFrontEndIsLeftOut() {
        Service web = loadBalancer("web", "192.0.2.1");
        EndpointSlice loop = slice("web-1", "web", ready("192.0.2.1"), ready("192.0.2.9"));
        loop.getPorts().get(0).setPort(80);

        ServiceSnapshot snapshot = build(web, loop);

        assertThat(endpointsOf(snapshot, "web")).containsExactly("192.0.2.9:80");
        assertThat(problems(snapshot))
                .containsExactly(
                        "Service default/web: spec.ports[0] 'http' has the endpoint 192.0.2.1:80,"
                                + " which is served for default/web:http/tcp");
    }

    @Test
    void f20AnotherPortOfThatAddressIsAnEndpoint() {
        Service web = loadBalancer("web", "192.0.2.1");

        assertThat(endpointsOf(build(web, slice("web-1", "web", ready("192.0.2.1"))), "web"))
                .containsExactly("192.0.2.1:8080");
    }

    private static Service at(String name, String clusterIp, String created) {
        Service service = service(name, clusterIp);
        service.getMetadata().setCreationTimestamp(created);
        return service;
    }

    private static String frontEnds(ServiceSnapshot snapshot, String service) {
        return snapshot.servicePorts().values().stream()
                .filter(port -> port.name().service().name().equals(service))
                .map(ServicePort::frontEnds)
                .findFirst()
                .orElseThrow()
                .toString();
    }
}
