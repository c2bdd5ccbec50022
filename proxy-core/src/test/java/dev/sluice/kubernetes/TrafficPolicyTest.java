package dev.sluice.kubernetes;

import static dev.sluice.kubernetes.KubernetesFixtures.NODE;
import static dev.sluice.kubernetes.KubernetesFixtures.build;
import static dev.sluice.kubernetes.KubernetesFixtures.endpoint;
import static dev.sluice.kubernetes.KubernetesFixtures.loadBalancer;
import static dev.sluice.kubernetes.KubernetesFixtures.only;
import static dev.sluice.kubernetes.KubernetesFixtures.problems;
import static dev.sluice.kubernetes.KubernetesFixtures.ready;
import static dev.sluice.kubernetes.KubernetesFixtures.readyOn;
import static dev.sluice.kubernetes.KubernetesFixtures.service;
import static dev.sluice.kubernetes.KubernetesFixtures.slice;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.Answer;
import dev.sluice.model.ClientPlace;
import dev.sluice.model.FrontEndKind;
import dev.sluice.model.IpFamily;
import dev.sluice.model.ServicePort;
import dev.sluice.model.ServiceSnapshot;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.discovery.v1.Endpoint;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which endpoints the traffic policies leave; the node is {@code a}. */
class TrafficPolicyTest {
    private static final EndpointSlice SPREAD =
            slice(
                    "web-1",
                    "web",
                    readyOn("a", "10.244.0.5"),
                    readyOn("b", "10.244.1.5"),
                    ready("10.244.2.5"));

    /** The local set is there exactly when a policy asks for it. */
    @ParameterizedTest
    @CsvSource({
        // internal, external, type, local endpoints
        "       ,        , ClusterIP   , []",
        "Cluster, Cluster, LoadBalancer, []",
        "Local  ,        , ClusterIP   , [10.244.0.5:8080]",
        "Local  , Cluster, LoadBalancer, [10.244.0.5:8080]",
        "Cluster, Local  , LoadBalancer, [10.244.0.5:8080]",
        "Cluster, Local  , ClusterIP   , []",
    })
    void f10TheLocalSetIsThereWhenAPolicyAsksForIt(
            @Nullable String internal, @Nullable String external, String type, String local) {
        Service web =
                type.equals("LoadBalancer")
                        ? loadBalancer("web", "198.51.100.7")
                        : service("web", "10.96.0.1");
        web.getSpec().setInternalTrafficPolicy(internal);
        web.getSpec().setExternalTrafficPolicy(external);

        ServicePort port = only(build(web, SPREAD));

        assertThat(port.localEndpoints()).asString().isEqualTo(local);
        assertThat(port.endpoints())
                .asString()
                .isEqualTo("[10.244.0.5:8080, 10.244.1.5:8080, 10.244.2.5:8080]");
    }

    @Test
    void f9InternalPolicyLocalKeepsClusterIpTrafficOnTheNode() {
        Service web = service("web", "10.96.0.1");
        web.getSpec().setInternalTrafficPolicy("Local");

        assertThat(answer(build(web, SPREAD), FrontEndKind.CLUSTER_IP)).isEqualTo(Answer.SERVE);
        assertThat(
                        answer(
                                build(web, slice("web-1", "web", readyOn("b", "10.244.1.5"))),
                                FrontEndKind.CLUSTER_IP))
                .isEqualTo(Answer.DROP);
        assertThat(answer(build(web), FrontEndKind.CLUSTER_IP)).isEqualTo(Answer.REFUSE);
    }

    @ParameterizedTest
    @CsvSource({
        "NODE_PORT       , ELSEWHERE, b, DROP",
        "LOAD_BALANCER_IP, ELSEWHERE, b, DROP",
        "EXTERNAL_IP     , ELSEWHERE, b, DROP",
        "LOAD_BALANCER_IP, ELSEWHERE, a, SERVE",
        "LOAD_BALANCER_IP, THIS_NODE, b, SERVE",
        "NODE_PORT       , THIS_NODE, b, SERVE",
        "CLUSTER_IP      , ELSEWHERE, b, SERVE",
    })
    void f10ExternalPolicyLocalIsForClientsElsewhere(
            FrontEndKind kind, ClientPlace place, String node, Answer answer) {
        ServicePort port =
                only(build(external("Local"), slice("web-1", "web", readyOn(node, "10.244.1.5"))));

        assertThat(port.answer(kind, IpFamily.IPV4, place)).isEqualTo(answer);
    }

    @Test
    void f27NoEndpointAnywhereIsRefusedUnderAnyPolicy() {
        ServiceSnapshot snapshot = build(external("Local"));

        for (FrontEndKind kind : FrontEndKind.values()) {
            assertThat(answer(snapshot, kind)).isEqualTo(Answer.REFUSE);
        }
    }

    @Test
    void f28LocalWithoutLocalEndpointsIsDroppedAndNeverSentElsewhere() {
        Service web = external("Local");
        web.getSpec().setInternalTrafficPolicy("Local");

        ServiceSnapshot snapshot =
                build(web, slice("web-1", "web", readyOn("b", "10.244.1.5"), ready("10.244.2.5")));

        for (FrontEndKind kind : FrontEndKind.values()) {
            assertThat(answer(snapshot, kind)).isEqualTo(Answer.DROP);
        }
        assertThat(only(snapshot).localEndpoints()).isEmpty();
    }

    @Test
    void f11ThoseThatEndHereServeLocalTrafficWhileNoneIsReadyHere() {
        Endpoint ending =
                new EndpointBuilder(endpoint(false, true, true, "10.244.0.5"))
                        .withNodeName("a")
                        .build();

        ServicePort port =
                only(
                        build(
                                external("Local"),
                                slice("web-1", "web", ending, readyOn("b", "10.244.1.5"))));

        assertThat(port.localEndpoints()).asString().isEqualTo("[10.244.0.5:8080]");
        assertThat(port.endpoints()).asString().isEqualTo("[10.244.1.5:8080]");
    }

    @ParameterizedTest
    @ValueSource(strings = {"local", "None", "Cluster "})
    void f9AnUnknownInternalPolicyStopsTheService(String policy) {
        Service web = loadBalancer("web", "198.51.100.7");
        web.getSpec().setInternalTrafficPolicy(policy);

        ServiceSnapshot snapshot = build(web, SPREAD);

        assertThat(snapshot.servicePorts()).isEmpty();
        assertThat(problems(snapshot))
                .containsExactly(
                        "Service default/web: spec.internalTrafficPolicy '"
                                + policy
                                + "' is not one of Cluster, Local");
    }

    @ParameterizedTest
    @ValueSource(strings = {"local", "None", "Cluster "})
    void f10AnUnknownExternalPolicyClosesAllButTheClusterIp(String policy) {
        ServiceSnapshot snapshot = build(external(policy), SPREAD);

        assertThat(only(snapshot).frontEnds()).asString().isEqualTo("[10.96.0.1:80/tcp]");
        assertThat(problems(snapshot))
                .containsExactly(
                        "Service default/web: spec.externalTrafficPolicy '"
                                + policy
                                + "' is not one of Cluster, Local");
    }

    @Test
    void nothingIsLocalOnANodeWithoutAName() {
        Service web = service("web", "10.96.0.1");
        web.getSpec().setInternalTrafficPolicy("Local");
        NodeContext nameless =
                new NodeContext("", NODE.zone(), NODE.nodePortAddresses(), NODE.localSources());

        ServiceSnapshot snapshot =
                build(nameless, web, slice("web-1", "web", readyOn("", "10.244.0.5")));

        assertThat(only(snapshot).localEndpoints()).isEmpty();
    }

    private static Service external(String policy) {
        Service web = loadBalancer("web", "198.51.100.7");
        web.getSpec().setExternalTrafficPolicy(policy);
        return web;
    }

    private static Answer answer(ServiceSnapshot snapshot, FrontEndKind kind) {
        return only(snapshot).answer(kind, IpFamily.IPV4, ClientPlace.ELSEWHERE);
    }
}
