package dev.sluice.kubernetes;

import static dev.sluice.kubernetes.KubernetesFixtures.NODE;
import static dev.sluice.kubernetes.KubernetesFixtures.build;
import static dev.sluice.kubernetes.KubernetesFixtures.endpoint;
import static dev.sluice.kubernetes.KubernetesFixtures.loadBalancer;
import static dev.sluice.kubernetes.KubernetesFixtures.only;
import static dev.sluice.kubernetes.KubernetesFixtures.problems;
import static dev.sluice.kubernetes.KubernetesFixtures.readyOn;
import static dev.sluice.kubernetes.KubernetesFixtures.service;
import static dev.sluice.kubernetes.KubernetesFixtures.slice;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.HealthCheck;
import dev.sluice.model.ServiceName;
import dev.sluice.model.ServiceSnapshot;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What load balancers may ask this node about a Service. */
class HealthCheckPortTest {

    @Test
    void f8CountsAddressesOfReadyEndpointsHereOverAllPorts() {
        Service web =
                new ServiceBuilder(local("web", 32001))
                        .editSpec()
                        .addNewPort()
                        .withName("metrics")
                        .withPort(9090)
                        .endPort()
                        .endSpec()
                        .build();
        EndpointSlice metrics =
                slice("web-2", "web", readyOn("a", "10.244.0.5"), readyOn("a", "10.244.0.6"));
        metrics.getPorts().get(0).setName("metrics");

        ServiceSnapshot snapshot =
                build(
                        web,
                        metrics,
                        slice(
                                "web-1",
                                "web",
                                readyOn("a", "10.244.0.5"),
                                readyOn("b", "10.1.0.1")));

        assertThat(snapshot.healthChecks())
                .containsExactly(
                        new HealthCheck(
                                new ServiceName("default", "web"),
                                32001,
                                NODE.nodePortAddresses(),
                                2));
    }

    @Test
    void f8EndpointsThatEndDoNotCountAlthoughTheyServe() {
        ServiceSnapshot snapshot =
                build(
                        local("web", 32001),
                        slice(
                                "web-1",
                                "web",
                                new EndpointBuilder(endpoint(false, true, true, "10.244.0.5"))
                                        .withNodeName("a")
                                        .build()));

        assertThat(only(snapshot).localEndpoints()).hasSize(1);
        assertThat(snapshot.healthChecks())
                .singleElement()
                .satisfies(check -> assertThat(check.localEndpoints()).isZero());
    }

    @Test
    void f8AServiceWithoutEndpointsIsAnsweredForWithZero() {
        assertThat(build(local("web", 32001)).healthChecks())
                .singleElement()
                .satisfies(check -> assertThat(check.localEndpoints()).isZero());
    }

    @ParameterizedTest
    @CsvSource({
        "LoadBalancer, Cluster, 32001",
        "NodePort    , Local  , 32001",
        "LoadBalancer, Local  , 0",
    })
    void f8OnlyLoadBalancersWithPolicyLocalHaveOne(String type, String policy, int port) {
        Service web = local("web", port);
        web.getSpec().setType(type);
        web.getSpec().setExternalTrafficPolicy(policy);

        ServiceSnapshot snapshot = build(web);

        assertThat(snapshot.healthChecks()).isEmpty();
        assertThat(snapshot.problems()).isEmpty();
    }

    @Test
    void f8APortOutOfRangeIsLeftOutAlone() {
        ServiceSnapshot snapshot = build(local("web", 65_536));

        assertThat(snapshot.healthChecks()).isEmpty();
        assertThat(only(snapshot).frontEnds()).hasSize(4);
        assertThat(problems(snapshot))
                .containsExactly(
                        "Service default/web: spec.healthCheckNodePort '65536' is not in 1..65535");
    }

    @Test
    void f8APortThatIsANodePortIsLeftOutAlone() {
        Service other = service("other", "10.96.0.9");
        other.getSpec().getPorts().get(0).setNodePort(32001);

        ServiceSnapshot snapshot = build(local("web", 32001), other);

        assertThat(snapshot.healthChecks()).isEmpty();
        assertThat(snapshot.servicePorts()).hasSize(2);
        assertThat(problems(snapshot))
                .containsExactly(
                        "Service default/web: spec.healthCheckNodePort '32001' is served for"
                                + " default/other:http/tcp");
    }

    @Test
    void f8OfTwoServicesWithOnePortTheFirstHasIt() {
        Service second = local("b", 32001);
        second.getSpec().setClusterIP("10.96.0.2");
        second.getSpec().getClusterIPs().set(0, "10.96.0.2");
        second.getSpec().getPorts().get(0).setNodePort(30081);
        second.setStatus(null);

        ServiceSnapshot snapshot = build(local("a", 32001), second);

        assertThat(snapshot.healthChecks())
                .extracting(check -> check.service().name())
                .containsExactly("a");
        assertThat(problems(snapshot))
                .containsExactly(
                        "Service default/b: spec.healthCheckNodePort '32001' is served for"
                                + " default/a as its health check");
    }

    @Test
    void f8WithoutNodePortAddressesNobodyCanAsk() {
        assertThat(build(NodeContext.UNKNOWN, local("web", 32001)).healthChecks()).isEmpty();
    }

    private static Service local(String name, int port) {
        Service service = loadBalancer(name, "198.51.100.7");
        service.getSpec().setExternalTrafficPolicy("Local");
        service.getSpec().setHealthCheckNodePort(port);
        return service;
    }
}
