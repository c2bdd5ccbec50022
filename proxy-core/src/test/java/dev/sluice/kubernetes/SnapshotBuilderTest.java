package dev.sluice.kubernetes;

import static dev.sluice.kubernetes.KubernetesFixtures.NODE;
import static dev.sluice.kubernetes.KubernetesFixtures.build;
import static dev.sluice.kubernetes.KubernetesFixtures.endpoint;
import static dev.sluice.kubernetes.KubernetesFixtures.endpoints;
import static dev.sluice.kubernetes.KubernetesFixtures.endpointsOf;
import static dev.sluice.kubernetes.KubernetesFixtures.freshBuilder;
import static dev.sluice.kubernetes.KubernetesFixtures.names;
import static dev.sluice.kubernetes.KubernetesFixtures.objects;
import static dev.sluice.kubernetes.KubernetesFixtures.only;
import static dev.sluice.kubernetes.KubernetesFixtures.problems;
import static dev.sluice.kubernetes.KubernetesFixtures.ready;
import static dev.sluice.kubernetes.KubernetesFixtures.service;
import static dev.sluice.kubernetes.KubernetesFixtures.slice;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.Protocol;
import dev.sluice.model.ServicePort;
import dev.sluice.model.ServicePortName;
import dev.sluice.model.ServiceSnapshot;
import dev.sluice.model.SessionAffinity;
import io.fabric8.kubernetes.api.model.Endpoints;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.ServiceSpec;
import io.fabric8.kubernetes.api.model.discovery.v1.Endpoint;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSliceBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SnapshotBuilderTest {
    private static final EndpointSlice WEB_SLICE =
            slice("web-1", "web", ready("10.244.1.7"), ready("10.244.0.5"));

    @Test
    void nothingGivesTheEmptySnapshot() {
        assertThat(build()).isEqualTo(ServiceSnapshot.EMPTY);
    }

    @Test
    void aServiceAndItsSliceGiveAServicePort() {
        ServiceSnapshot snapshot = build(service("web", "10.96.0.1"), WEB_SLICE);

        ServicePort web = only(snapshot);
        assertThat(web.name())
                .isEqualTo(ServicePortName.of("default", "web", "http", Protocol.TCP));
        assertThat(web.frontEnds()).asString().isEqualTo("[10.96.0.1:80/tcp]");
        assertThat(web.affinity()).isEqualTo(SessionAffinity.NONE);
        assertThat(web.endpoints()).asString().isEqualTo("[10.244.0.5:8080, 10.244.1.7:8080]");
        assertThat(snapshot.problems()).isEmpty();
    }

    @Test
    void bothFamiliesHaveTheirFrontEndAndTheirEndpoints() {
        ServiceSnapshot snapshot =
                build(
                        service("web", "fd00:96::1", "10.96.0.1"),
                        WEB_SLICE,
                        slice("web-2", "web", ready("fd00::5")));

        assertThat(only(snapshot).frontEnds())
                .asString()
                .isEqualTo("[[fd00:96::1]:80/tcp, 10.96.0.1:80/tcp]");
        assertThat(endpointsOf(snapshot, "web"))
                .containsExactly("10.244.0.5:8080", "10.244.1.7:8080", "[fd00::5]:8080");
        assertThat(snapshot.problems()).isEmpty();
    }

    @Test
    void clusterIpAloneIsEnough() {
        Service old = service("web", "10.96.0.1");
        old.getSpec().setClusterIPs(null);

        assertThat(only(build(old)).frontEnds()).asString().isEqualTo("[10.96.0.1:80/tcp]");
    }

    @Test
    void theEndpointsPortComesFromTheSliceByName() {
        EndpointSlice canary = slice("web-2", "web", ready("10.244.9.9"));
        canary.getPorts().get(0).setPort(9090);
        EndpointSlice other = slice("web-3", "web", ready("10.244.8.8"));
        other.getPorts().get(0).setName("metrics");
        EndpointSlice udp = slice("web-4", "web", ready("10.244.7.7"));
        udp.getPorts().get(0).setProtocol("UDP");

        assertThat(
                        endpointsOf(
                                build(service("web", "10.96.0.1"), WEB_SLICE, canary, other, udp),
                                "web"))
                .containsExactly("10.244.0.5:8080", "10.244.1.7:8080", "10.244.9.9:9090");
    }

    @Test
    void theUnnamedPortIsJoinedByTheEmptyName() {
        Service web = service("web", "10.96.0.1");
        web.getSpec().getPorts().get(0).setName(null);
        EndpointSlice named = slice("web-1", "web", ready("10.244.0.5"));
        named.getPorts().get(0).setName("");
        EndpointSlice nameless = slice("web-2", "web", ready("10.244.0.6"));
        nameless.getPorts().get(0).setName(null);

        ServiceSnapshot snapshot = build(web, named, nameless);

        assertThat(endpointsOf(snapshot, "web")).containsExactly("10.244.0.5:8080");
        assertThat(problems(snapshot))
                .containsExactly("EndpointSlice default/web-2: ports[0].name is missing");
    }

    @Test
    void onlyTheFirstAddressOfAnEndpointIsUsed() {
        assertThat(
                        endpointsOf(
                                build(
                                        service("web", "10.96.0.1"),
                                        slice("web-1", "web", ready("10.244.0.5", "10.244.0.6"))),
                                "web"))
                .containsExactly("10.244.0.5:8080");
    }

    @Test
    void slicesOfOtherNamespacesAndServicesAreNotUsed() {
        EndpointSlice foreign = slice("web-2", "web", ready("10.244.2.2"));
        foreign.getMetadata().setNamespace("other");
        EndpointSlice headless = slice("web-3", "web", ready("10.244.3.3"));
        headless.getMetadata().getLabels().put("service.kubernetes.io/headless", "");
        EndpointSlice unlabelled = slice("web-4", "web", ready("10.244.4.4"));
        unlabelled.getMetadata().setLabels(null);

        ServiceSnapshot snapshot =
                build(
                        service("web", "10.96.0.1"),
                        foreign,
                        headless,
                        unlabelled,
                        slice("db-1", "db", ready("10.244.5.5")));

        assertThat(endpointsOf(snapshot, "web")).isEmpty();
        assertThat(snapshot.problems()).isEmpty();
    }

    @Test
    void endpointsObjectsAreUsedWithoutSlicesOnly() {
        Endpoints mirrored = endpoints("web", "10.244.6.6");

        assertThat(endpointsOf(build(service("web", "10.96.0.1"), mirrored), "web"))
                .containsExactly("10.244.6.6:8080");
        assertThat(endpointsOf(build(service("web", "10.96.0.1"), mirrored, WEB_SLICE), "web"))
                .containsExactly("10.244.0.5:8080", "10.244.1.7:8080");
        assertThat(
                        endpointsOf(
                                build(service("web", "10.96.0.1"), mirrored, slice("e", "web")),
                                "web"))
                .isEmpty();
    }

    @Test
    void theLastEndpointLeavesInEachForm() {
        Service web = service("web", "10.96.0.1");
        Endpoints noSubsets = endpoints("web");
        noSubsets.setSubsets(List.of());

        for (HasMetadata empty : List.of(noSubsets, endpoints("web"), slice("web-1", "web"))) {
            SnapshotBuilder builder = freshBuilder();
            builder.build(objects(web, WEB_SLICE), NODE);

            assertThat(endpointsOf(builder.build(objects(web, empty), NODE), "web")).isEmpty();
        }
    }

    @Test
    void aPodThatEndsIsUsedWhenNoReadyOneIsLeft() {
        EndpointSlice slice =
                slice(
                        "web-1",
                        "web",
                        endpoint(false, true, true, "10.244.0.5"),
                        endpoint(false, false, true, "10.244.0.6"));

        assertThat(endpointsOf(build(service("web", "10.96.0.1"), slice), "web"))
                .containsExactly("10.244.0.5:8080");
        assertThat(endpointsOf(build(service("web", "10.96.0.1"), slice, WEB_SLICE), "web"))
                .containsExactly("10.244.0.5:8080", "10.244.1.7:8080")
                .doesNotContain("10.244.0.6:8080");
    }

    @Test
    void headlessExternalAndForeignServicesAreLeftOutSilently() {
        Service headless = service("a", "None");
        Service pending = service("b", "");
        Service external = service("c", "10.96.0.3");
        external.getSpec().setType("ExternalName");
        Service foreign = service("d", "10.96.0.4");
        foreign.getMetadata().setLabels(Map.of("service.kubernetes.io/service-proxy-name", ""));
        Service labelled = service("e", "10.96.0.5");
        labelled.getMetadata().setLabels(Map.of("service.kubernetes.io/headless", ""));

        ServiceSnapshot snapshot = build(headless, pending, external, foreign, labelled);

        assertThat(snapshot).isEqualTo(ServiceSnapshot.EMPTY);
    }

    @Test
    void aServiceComesAndGoesWithItsTypeAndLabels() {
        SnapshotBuilder builder = freshBuilder();
        Service web = service("web", "10.96.0.1");
        Service foreign =
                new ServiceBuilder(web)
                        .editMetadata()
                        .addToLabels("service.kubernetes.io/service-proxy-name", "other")
                        .endMetadata()
                        .build();
        Service external =
                new ServiceBuilder(web).editSpec().withType("ExternalName").endSpec().build();

        assertThat(names(builder.build(objects(web), NODE))).containsExactly("web/http");
        assertThat(names(builder.build(objects(foreign), NODE))).isEmpty();
        assertThat(names(builder.build(objects(web), NODE))).containsExactly("web/http");
        assertThat(names(builder.build(objects(external), NODE))).isEmpty();
        assertThat(names(builder.build(objects(web), NODE))).containsExactly("web/http");
    }

    @ParameterizedTest
    @ValueSource(strings = {"NodePort", "LoadBalancer"})
    void theClusterIpOfOtherTypesIsServed(String type) {
        Service web = service("web", "10.96.0.1");
        web.getSpec().setType(type);

        assertThat(names(build(web))).containsExactly("web/http");
    }

    @Test
    void portsOfOtherProtocolsAreNamedAndTheRestIsServed() {
        Service dns =
                new ServiceBuilder(service("dns", "10.96.0.10"))
                        .editSpec()
                        .addNewPort()
                        .withName("udp")
                        .withPort(80)
                        .withProtocol("UDP")
                        .endPort()
                        .addNewPort()
                        .withName("sctp")
                        .withPort(80)
                        .withProtocol("SCTP")
                        .endPort()
                        .endSpec()
                        .build();

        ServiceSnapshot snapshot = build(dns);

        assertThat(names(snapshot)).containsExactly("dns/http", "dns/udp");
        assertThat(problems(snapshot))
                .containsExactly(
                        "Service default/dns: spec.ports[2].protocol 'SCTP' is not proxied");
    }

    /** Whatever its slices and Endpoints say, a port that is not served has nowhere to appear. */
    @Test
    void aServiceOfSctpOnlyHasNoServicePort() {
        Service dns = service("dns", "10.96.0.10");
        dns.getSpec().getPorts().get(0).setProtocol("SCTP");
        EndpointSlice slice = slice("dns-1", "dns", ready("10.244.0.5"));
        slice.getPorts().get(0).setProtocol("SCTP");

        ServiceSnapshot snapshot = build(dns, slice);

        assertThat(snapshot.servicePorts()).isEmpty();
        assertThat(problems(snapshot))
                .singleElement()
                .asString()
                .contains("spec.ports[0].protocol 'SCTP' is not proxied");
    }

    @ParameterizedTest
    @CsvSource({", 10800", "1, 1", "86400, 86400"})
    void clientIpAffinityHasATimeout(Integer seconds, long expected) {
        Service web = clientIp(seconds);

        assertThat(only(build(web)).affinity())
                .isEqualTo(new SessionAffinity.ClientIp(Duration.ofSeconds(expected)));
    }

    @Test
    void clientIpAffinityNeedsNoConfig() {
        Service web = service("web", "10.96.0.1");
        web.getSpec().setSessionAffinity("ClientIP");

        assertThat(only(build(web)).affinity())
                .isEqualTo(new SessionAffinity.ClientIp(SessionAffinity.ClientIp.DEFAULT_TIMEOUT));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 86_401, Integer.MAX_VALUE})
    void anAffinityTimeoutOutsideTheRangeStopsItsService(int seconds) {
        ServiceSnapshot snapshot = build(clientIp(seconds), service("other", "10.96.0.2"));

        assertThat(names(snapshot)).containsExactly("other/http");
        assertThat(problems(snapshot))
                .containsExactly(
                        "Service default/web: spec.sessionAffinityConfig.clientIP.timeoutSeconds '"
                                + seconds
                                + "' is not in 1..86400");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.0.0.1",
                "::1",
                "169.254.169.254",
                "0.0.0.0",
                "224.0.0.1",
                "255.255.255.255",
                "::ffff:127.0.0.1",
                "fe80::1",
                "10.010.0.1",
                "127.1",
                " 10.0.0.1",
                "fe80::1%eth0",
                "localhost",
                "",
            })
    void aForbiddenEndpointIsNamedAndTheOthersServe(String address) {
        EndpointSlice slice =
                new EndpointSliceBuilder(slice("web-1", "web", ready("x"), ready("10.244.0.5")))
                        .editEndpoint(0)
                        .withAddresses(address)
                        .endEndpoint()
                        .withAddressType(address.contains(":") ? "IPv6" : "IPv4")
                        .build();

        ServiceSnapshot snapshot =
                build(service("web", "10.96.0.1"), slice, slice("web-2", "web", ready("10.1.1.1")));

        assertThat(endpointsOf(snapshot, "web")).contains("10.1.1.1:8080").hasSizeLessThan(3);
        assertThat(snapshot.problems())
                .anySatisfy(
                        problem -> {
                            assertThat(problem.where()).isEqualTo("EndpointSlice default/web-1");
                            assertThat(problem.field()).isEqualTo("endpoints[0].addresses[0]");
                            assertThat(problem.value()).isEqualTo(address);
                        });
    }

    @Test
    void loopbackEndpointsAreServedIfAllowed() {
        SnapshotBuilder builder = new SnapshotBuilder(ServiceRules.of(LoopbackEndpoints.ALLOWED));

        ServiceSnapshot snapshot =
                builder.build(
                        objects(
                                service("web", "10.96.0.1", "fd00::10"),
                                slice("web-1", "web", ready("127.0.0.1"), ready("0.0.0.0")),
                                slice("web-2", "web", ready("::1"))),
                        NODE);

        assertThat(endpointsOf(snapshot, "web")).containsExactly("127.0.0.1:8080", "[::1]:8080");
        assertThat(problems(snapshot))
                .containsExactly(
                        "EndpointSlice default/web-1: endpoints[1].addresses[0] '0.0.0.0' is an"
                                + " unspecified address, which is never served");
    }

    @Test
    void loopbackIsNeverAClusterIp() {
        ServiceSnapshot snapshot =
                new SnapshotBuilder(ServiceRules.of(LoopbackEndpoints.ALLOWED))
                        .build(objects(service("web", "127.0.0.1")), NODE);

        assertThat(problems(snapshot))
                .containsExactly(
                        "Service default/web: spec.clusterIPs[0] '127.0.0.1' is a loopback"
                                + " address, which is never served");
    }

    @Test
    void anAddressOfTheOtherFamilyIsNotUsed() {
        EndpointSlice mixed = slice("web-1", "web", ready("10.244.0.5"), ready("fd00::5"));

        ServiceSnapshot snapshot = build(service("web", "10.96.0.1", "fd00::1"), mixed);

        assertThat(endpointsOf(snapshot, "web")).containsExactly("10.244.0.5:8080");
        assertThat(problems(snapshot))
                .containsExactly(
                        "EndpointSlice default/web-1: endpoints[1].addresses[0] 'fd00::5' is not of"
                                + " addressType IPv4");
    }

    @Test
    void anEndpointThatIsAClusterIpIsLeftOut() {
        Service other = service("other", "10.96.0.2");
        EndpointSlice loop =
                slice(
                        "web-1",
                        "web",
                        ready("10.96.0.2"),
                        endpoint(false, true, true, "10.244.0.5"));
        SnapshotBuilder builder = freshBuilder();
        Service web = service("web", "10.96.0.1");

        assertThat(endpointsOf(builder.build(objects(web, loop), NODE), "web"))
                .containsExactly("10.96.0.2:8080");
        ServiceSnapshot both = builder.build(objects(web, other, loop), NODE);
        assertThat(endpointsOf(both, "web"))
                .as("as if it were not there: what ends is the best that is left")
                .containsExactly("10.244.0.5:8080");
        assertThat(problems(both))
                .containsExactly(
                        "Service default/web: spec.ports[0] 'http' has the endpoint"
                                + " 10.96.0.2:8080, which is the ClusterIP of a Service");
        assertThat(endpointsOf(builder.build(objects(web, loop), NODE), "web"))
                .containsExactly("10.96.0.2:8080");
    }

    @Test
    void theOlderOfTwoServicesHasTheFrontEnd() {
        SnapshotBuilder builder = freshBuilder();
        Service older = created("z-old", "2024-01-01T00:00:00Z");
        Service newer = created("a-new", "2024-01-01T01:00:00+00:30");
        Service undated = service("b-undated", "10.96.0.1");

        ServiceSnapshot all = builder.build(objects(newer, undated, older), NODE);
        assertThat(names(all)).containsExactly("z-old/http");
        assertThat(problems(all))
                .containsExactly(
                        "Service default/a-new: spec.ports[0].port '10.96.0.1:80/tcp' is served for"
                                + " default/z-old:http/tcp",
                        "Service default/b-undated: spec.ports[0].port '10.96.0.1:80/tcp' is served"
                                + " for default/z-old:http/tcp");
        assertThat(names(builder.build(objects(undated, newer), NODE)))
                .containsExactly("a-new/http");
        assertThat(names(builder.build(objects(undated), NODE))).containsExactly("b-undated/http");
        assertThat(names(builder.build(objects(), NODE))).isEmpty();
    }

    @Test
    void ofTheSameAgeTheFirstByNameHasTheFrontEnd() {
        assertThat(names(build(service("b", "10.96.0.1"), service("a", "10.96.0.1"))))
                .containsExactly("a/http");
    }

    @Test
    void anotherPortOfTheSameClusterIpIsServed() {
        Service other = service("b", "10.96.0.1");
        other.getSpec().getPorts().get(0).setPort(81);

        assertThat(names(build(service("a", "10.96.0.1"), other)))
                .containsExactly("a/http", "b/http");
    }

    @Test
    void oneBadPortLeavesTheOthers() {
        Service web =
                new ServiceBuilder(service("web", "10.96.0.1"))
                        .editSpec()
                        .addNewPort()
                        .withName("http")
                        .withPort(81)
                        .endPort()
                        .addNewPort()
                        .withName("zero")
                        .withPort(0)
                        .endPort()
                        .addNewPort()
                        .withName("Upper_Case")
                        .withPort(82)
                        .endPort()
                        .addNewPort()
                        .withPort(83)
                        .endPort()
                        .addNewPort()
                        .withName("again")
                        .withPort(80)
                        .endPort()
                        .addNewPort()
                        .withName("good")
                        .withPort(65535)
                        .endPort()
                        .endSpec()
                        .build();

        ServiceSnapshot snapshot = build(web);

        assertThat(names(snapshot)).containsExactly("web/good", "web/http");
        assertThat(problems(snapshot))
                .containsExactly(
                        "Service default/web: spec.ports[1].name 'http' is the name of another"
                                + " port, too",
                        "Service default/web: spec.ports[2].port '0' is not in 1..65535",
                        "Service default/web: spec.ports[3].name 'Upper_Case' is not a label of at"
                                + " most 63 of a-z, 0-9 and '-' (RFC 1123)",
                        "Service default/web: spec.ports[4].name is missing; with more than one"
                                + " port each has one",
                        "Service default/web: spec.ports[5].port '10.96.0.1:80/tcp' is served for"
                                + " default/web:http/tcp");
    }

    @Test
    void oneObjectHasABoundedNumberOfProblems() {
        Endpoint[] bad =
                IntStream.range(0, 1000).mapToObj(i -> ready("127.0.0.1")).toArray(Endpoint[]::new);

        ServiceSnapshot snapshot = build(service("web", "10.96.0.1"), slice("web-1", "web", bad));

        assertThat(snapshot.problems()).hasSize(ObjectProblems.MOST + 1);
        assertThat(problems(snapshot))
                .last()
                .asString()
                .isEqualTo("EndpointSlice default/web-1: 980 more of its values were left out");
    }

    @Test
    void anObjectThatThrowsStopsNoOther() {
        Service hostile = new ThrowingService();
        hostile.setMetadata(service("hostile", "10.96.0.9").getMetadata());

        ServiceSnapshot snapshot = build(hostile, service("web", "10.96.0.1"), WEB_SLICE);

        assertThat(names(snapshot)).containsExactly("web/http");
        assertThat(problems(snapshot))
                .containsExactly(
                        "Service default/hostile: could not be read:"
                                + " java.lang.IllegalStateException: built to throw");
    }

    @Test
    void anUnchangedServicePortKeepsItsIdentity() {
        SnapshotBuilder builder = freshBuilder();
        Service web = service("web", "10.96.0.1");
        ServicePort first = only(builder.build(objects(web, WEB_SLICE), NODE));

        Service annotated =
                new ServiceBuilder(web)
                        .editMetadata()
                        .addToAnnotations("a", "b")
                        .endMetadata()
                        .build();
        assertThat(only(builder.build(objects(annotated, WEB_SLICE), NODE))).isSameAs(first);
        assertThat(
                        builder.build(
                                        objects(annotated, WEB_SLICE, service("b", "10.96.0.2")),
                                        NODE)
                                .servicePorts()
                                .get(first.name()))
                .isSameAs(first);
        EndpointSlice moved = slice("web-2", "web", ready("10.244.0.5"), ready("10.244.1.7"));
        assertThat(only(builder.build(objects(annotated, moved), NODE))).isSameAs(first);
        assertThat(only(builder.build(objects(annotated, slice("web-2", "web")), NODE)))
                .isNotEqualTo(first);
    }

    @Test
    void objectsWithAVersionAreNotReadAgain() {
        SnapshotBuilder builder = freshBuilder();
        Service web = versioned(service("web", "10.96.0.1"), "7");
        ServicePort first = only(builder.build(objects(web), NODE));

        Service changedWithoutVersion = versioned(service("web", "10.96.0.2"), "7");
        assertThat(only(builder.build(objects(changedWithoutVersion), NODE))).isSameAs(first);
        Service changed = versioned(service("web", "10.96.0.2"), "8");
        assertThat(only(builder.build(objects(changed), NODE)).clusterIps())
                .asString()
                .isEqualTo("[10.96.0.2]");
    }

    @Test
    void aServiceThatWasMadeAnewIsReadAnew() {
        SnapshotBuilder builder = freshBuilder();
        Service web = versioned(service("web", "10.96.0.1"), "7");
        Service again = versioned(service("web", "10.96.0.2"), "7");
        again.getMetadata().setUid("another");
        builder.build(objects(web), NODE);

        assertThat(only(builder.build(objects(again), NODE)).clusterIps())
                .asString()
                .isEqualTo("[10.96.0.2]");
    }

    private static Service versioned(Service service, String version) {
        service.getMetadata().setUid("uid");
        service.getMetadata().setResourceVersion(version);
        return service;
    }

    private static Service created(String name, String timestamp) {
        Service service = service(name, "10.96.0.1");
        service.getMetadata().setCreationTimestamp(timestamp);
        return service;
    }

    private static Service clientIp(Integer seconds) {
        return new ServiceBuilder(service("web", "10.96.0.1"))
                .editSpec()
                .withSessionAffinity("ClientIP")
                .withNewSessionAffinityConfig()
                .withNewClientIP()
                .withTimeoutSeconds(seconds)
                .endClientIP()
                .endSessionAffinityConfig()
                .endSpec()
                .build();
    }

    /** Stands for whatever nobody thought of. */
    private static final class ThrowingService extends Service {
        private static final long serialVersionUID = 1;

        @Override
        public ServiceSpec getSpec() {
            throw new IllegalStateException("built to throw");
        }
    }
}
