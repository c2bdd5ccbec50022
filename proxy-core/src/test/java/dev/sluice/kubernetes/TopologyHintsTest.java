package dev.sluice.kubernetes;

import static dev.sluice.kubernetes.KubernetesFixtures.NODE;
import static dev.sluice.kubernetes.KubernetesFixtures.build;
import static dev.sluice.kubernetes.KubernetesFixtures.endpoint;
import static dev.sluice.kubernetes.KubernetesFixtures.objects;
import static dev.sluice.kubernetes.KubernetesFixtures.only;
import static dev.sluice.kubernetes.KubernetesFixtures.ready;
import static dev.sluice.kubernetes.KubernetesFixtures.service;
import static dev.sluice.kubernetes.KubernetesFixtures.slice;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.ServicePort;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.discovery.v1.Endpoint;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointHints;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointHintsBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.ForNode;
import io.fabric8.kubernetes.api.model.discovery.v1.ForZone;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Hints of EndpointSlices, on node {@code a} in zone {@code z1}. */
class TopologyHintsTest {

    /** Each word is a ready endpoint: its nodes and its zones, {@code -} for none. */
    @ParameterizedTest
    @CsvSource({
        // nobody has hints
        "-/- -/-          , 0 1",
        // zones
        "-/z1 -/z2        , 0",
        "-/z1+z2 -/z2     , 0",
        "-/z2 -/z3        , 0 1",
        "-/z1 -/-         , 0 1",
        "-/z1 -/z1        , 0 1",
        // nodes come before zones, and are written together with them
        "a/z1 b/z1        , 0",
        "b/z1 c/z2        , 0",
        "a/z1 -/z1        , 0 1",
        "a/z1 -/z2        , 0",
        "a+b/- b/-        , 0",
        "b/- c/-          , 0 1",
        "a/- -/-          , 0 1",
    })
    void f12HintsLeaveTheNearestEndpoints(String hints, String used) {
        String[] words = hints.split(" ", -1);
        Endpoint[] endpoints =
                IntStream.range(0, words.length)
                        .mapToObj(i -> hinted(ready("10.244.0." + i), words[i]))
                        .toArray(Endpoint[]::new);

        assertThat(served(NODE, service("web", "10.96.0.1"), endpoints)).isEqualTo(used);
    }

    @Test
    void f12WithoutTheZoneOfTheNodeZoneHintsDoNotCount() {
        NodeContext nowhere =
                new NodeContext(
                        "a", Optional.empty(), NODE.nodePortAddresses(), NODE.localSources());

        assertThat(
                        served(
                                nowhere,
                                service("web", "10.96.0.1"),
                                hinted(ready("10.244.0.0"), "-/z1"),
                                hinted(ready("10.244.0.1"), "-/z2")))
                .isEqualTo("0 1");
    }

    @Test
    void f12OnlyReadyEndpointsAreAsked() {
        assertThat(
                        served(
                                NODE,
                                service("web", "10.96.0.1"),
                                hinted(ready("10.244.0.0"), "-/z1"),
                                hinted(ready("10.244.0.1"), "-/z2"),
                                endpoint(false, true, true, "10.244.0.2"),
                                endpoint(false, false, false, "10.244.0.3")))
                .isEqualTo("0");
    }

    @Test
    void f11HintsAreNotAskedWhenAllEndpointsEnd() {
        assertThat(
                        served(
                                NODE,
                                service("web", "10.96.0.1"),
                                hinted(endpoint(false, true, true, "10.244.0.0"), "-/z1"),
                                hinted(endpoint(false, true, true, "10.244.0.1"), "-/z2")))
                .isEqualTo("0 1");
    }

    @Test
    void f12EachFamilyIsDecidedAlone() {
        ServicePort port =
                only(
                        build(
                                service("web", "10.96.0.1", "fd00:96::1"),
                                slice(
                                        "web-1",
                                        "web",
                                        hinted(ready("10.244.0.0"), "-/z1"),
                                        hinted(ready("10.244.0.1"), "-/z2")),
                                slice("web-2", "web", ready("fd00::1"), ready("fd00::2"))));

        assertThat(port.endpoints())
                .asString()
                .isEqualTo("[10.244.0.0:8080, [fd00::1]:8080, [fd00::2]:8080]");
    }

    @Test
    void f9HintsDoNotNarrowTheLocalSet() {
        Service web = service("web", "10.96.0.1");
        web.getSpec().setInternalTrafficPolicy("Local");
        Endpoint here =
                new EndpointBuilder(hinted(ready("10.244.0.0"), "b/z2")).withNodeName("a").build();

        ServicePort port =
                only(build(web, slice("web-1", "web", here, hinted(ready("10.244.0.1"), "a/z1"))));

        assertThat(port.localEndpoints()).asString().isEqualTo("[10.244.0.0:8080]");
        assertThat(port.endpoints()).asString().isEqualTo("[10.244.0.1:8080]");
    }

    /** trafficDistribution and the annotation before it are the business of the controller. */
    @Test
    void f13OnlyHintsAreReadAndNoTrafficDistribution() {
        Service web = service("web", "10.96.0.1");
        web.getSpec().setTrafficDistribution("PreferSameZone");
        Endpoint there = new EndpointBuilder(ready("10.244.0.1")).withZone("z2").build();
        Endpoint here = new EndpointBuilder(ready("10.244.0.0")).withZone("z1").build();

        assertThat(served(NODE, web, here, there)).isEqualTo("0 1");
    }

    @Test
    void f12PartsOfHintsMayBeAbsent() {
        EndpointHints odd = new EndpointHints();
        odd.setForNodes(null);
        odd.setForZones(Arrays.asList(null, new ForZone(null), new ForZone("z1")));
        Endpoint endpoint = ready("10.244.0.0");
        endpoint.setHints(odd);

        assertThat(
                        served(
                                NODE,
                                service("web", "10.96.0.1"),
                                endpoint,
                                hinted(ready("10.244.0.1"), "-/z2")))
                .isEqualTo("0");
    }

    @Test
    void f12AZoneThatTheNodeGetsLaterCounts() {
        SnapshotBuilder builder = KubernetesFixtures.freshBuilder();
        KubernetesObjects all =
                objects(
                        service("web", "10.96.0.1"),
                        slice(
                                "web-1",
                                "web",
                                hinted(ready("10.244.0.0"), "-/z1"),
                                hinted(ready("10.244.0.1"), "-/z2")));
        builder.build(all, NodeContext.UNKNOWN);

        assertThat(only(builder.build(all, NODE)).endpoints())
                .asString()
                .isEqualTo("[10.244.0.0:8080]");
    }

    private static String served(NodeContext node, Service web, Endpoint... endpoints) {
        return String.join(
                " ",
                only(build(node, web, slice("web-1", "web", endpoints))).endpoints().stream()
                        .map(endpoint -> endpoint.address().toString())
                        .map(address -> address.substring("10.244.0.".length()))
                        .toList());
    }

    private static Endpoint hinted(Endpoint endpoint, String hints) {
        String[] parts = hints.split("/", -1);
        endpoint.setHints(
                new EndpointHintsBuilder()
                        .withForNodes(names(parts[0]).map(ForNode::new).toList())
                        .withForZones(names(parts[1]).map(ForZone::new).toList())
                        .build());
        return endpoint;
    }

    private static Stream<String> names(String text) {
        return text.equals("-") ? Stream.of() : Stream.of(text.split("\\+", -1));
    }
}
