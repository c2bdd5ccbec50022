package dev.sluice.kubernetes;

import static dev.sluice.kubernetes.KubernetesFixtures.node;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.NodePortAddresses;
import dev.sluice.config.ProxyConfig.DetectLocal;
import dev.sluice.config.ProxyConfig.DetectLocal.Detection;
import dev.sluice.model.Cidr;
import dev.sluice.model.ClientPlace;
import dev.sluice.model.IpAddress;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OwnNodeTest {
    private final FixedKernel kernel =
            new FixedKernel("192.0.2.1", "127.0.0.1", "::1", "10.244.0.1", "fd00:2::1");
    private final ObjectProblems problems = new ObjectProblems("Node a");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "all                     | [10.244.0.1, 127.0.0.1, 192.0.2.1, ::1, fd00:2::1]",
                "primary                 | [192.0.2.1]",
                "localhost               | [127.0.0.1, ::1]",
                "192.0.2.0/24            | [192.0.2.1]",
                "fd00::/8,primary        | [192.0.2.1, fd00:2::1]",
                "127.0.0.0/8,10.0.0.0/8  | [10.244.0.1, 127.0.0.1]",
                "203.0.113.0/24          | []",
            })
    void f4NodePortsAreServedOnTheAddressesChosen(String setting, String expected) {
        OwnNode node =
                KubernetesFixtures.ownNode(
                        NodePortAddresses.parse(Arrays.asList(setting.split(",", -1))),
                        detectLocal(Detection.NONE),
                        kernel);

        assertThat(node.now(Optional.empty(), problems).nodePortAddresses())
                .asString()
                .isEqualTo(expected);
    }

    @Test
    void f4NodePortsAreServedOnTheAddressesOfNow() {
        OwnNode node = ownNode(detectLocal(Detection.NONE));
        node.now(Optional.empty(), problems);

        kernel.setAddresses("192.0.2.77");

        NodeContext now = node.now(Optional.empty(), problems);
        assertThat(now.nodePortAddresses()).asString().isEqualTo("[192.0.2.77]");
        assertThat(now.localSources().node()).containsExactly(IpAddress.parse("192.0.2.77"));
    }

    @Test
    void theLastAddressesCountWhileTheKernelDoesNotAnswer() {
        OwnNode node = ownNode(interfacePrefix("cali"));
        kernel.setRoutes("cali1", "10.244.0.7/32");
        NodeContext before = node.now(Optional.empty(), problems);

        kernel.fail(new IOException("no"));

        assertThat(node.now(Optional.empty(), problems)).isEqualTo(before);
        assertThat(problems.list())
                .extracting(Object::toString)
                .containsExactly(
                        "Node a: addresses can't be read from the kernel: java.io.IOException: no",
                        "Node a: routes can't be read from the kernel: java.io.IOException: no");
    }

    @ParameterizedTest
    @CsvSource({
        "192.0.2.1 , THIS_NODE",
        "::1       , THIS_NODE",
        "127.0.0.9 , THIS_NODE",
        "10.244.0.9, ELSEWHERE",
        "192.0.2.2 , ELSEWHERE",
    })
    void f31WithoutDetectionOnlyTheNodeItselfIsLocal(String client, ClientPlace place) {
        assertThat(placeOf(ownNode(detectLocal(Detection.NONE)), Optional.empty(), client))
                .isEqualTo(place);
    }

    @Test
    void f31ClusterCidrsAreLocal() {
        OwnNode node =
                ownNode(
                        new DetectLocal(
                                Detection.CLUSTER_CIDR,
                                List.of(Cidr.parse("10.244.0.0/16"), Cidr.parse("fd00:9::/48")),
                                Optional.empty(),
                                Optional.empty()));

        assertThat(placeOf(node, Optional.empty(), "10.244.7.7")).isEqualTo(ClientPlace.THIS_NODE);
        assertThat(placeOf(node, Optional.empty(), "fd00:9::7")).isEqualTo(ClientPlace.THIS_NODE);
        assertThat(placeOf(node, Optional.empty(), "10.245.7.7")).isEqualTo(ClientPlace.ELSEWHERE);
    }

    @Test
    void f31NodeCidrsComeFromTheNode() {
        OwnNode own = ownNode(detectLocal(Detection.NODE_CIDR));
        Optional<NodeFacts> facts = Optional.of(facts(podCidrs("10.244.3.0/24", "fd00:9:3::/64")));

        assertThat(own.lacksPodCidrs(facts)).isFalse();
        assertThat(placeOf(own, facts, "10.244.3.9")).isEqualTo(ClientPlace.THIS_NODE);
        assertThat(placeOf(own, facts, "fd00:9:3::9")).isEqualTo(ClientPlace.THIS_NODE);
        assertThat(placeOf(own, facts, "10.244.4.9")).isEqualTo(ClientPlace.ELSEWHERE);
        assertThat(problems.list()).isEmpty();
    }

    @Test
    void f31NodeCidrsThatAreMissingAreAProblem() {
        OwnNode own = ownNode(detectLocal(Detection.NODE_CIDR));

        assertThat(own.lacksPodCidrs(Optional.empty())).isTrue();
        assertThat(own.lacksPodCidrs(Optional.of(facts(node("a"))))).isTrue();
        assertThat(own.now(Optional.empty(), problems).localSources().pods()).isEmpty();
        assertThat(problems.list())
                .singleElement()
                .hasToString(
                        "Node a: spec.podCIDRs is missing, and node.detect-local.mode is"
                                + " node-cidr");
    }

    @Test
    void f31WhatIsRoutedThroughTheBridgeIsLocal() {
        kernel.setRoutes("cni0", "10.244.3.0/24");
        kernel.setRoutes("cni01", "10.244.4.0/24");
        OwnNode own =
                ownNode(
                        new DetectLocal(
                                Detection.BRIDGE_INTERFACE,
                                List.of(),
                                Optional.of("cni0"),
                                Optional.empty()));

        assertThat(placeOf(own, Optional.empty(), "10.244.3.9")).isEqualTo(ClientPlace.THIS_NODE);
        assertThat(placeOf(own, Optional.empty(), "10.244.4.9")).isEqualTo(ClientPlace.ELSEWHERE);
    }

    @Test
    void f31WhatIsRoutedThroughInterfacesOfThePrefixIsLocal() {
        kernel.setRoutes("cali1", "10.244.3.7/32");
        kernel.setRoutes("cali2", "10.244.3.8/32");
        kernel.setRoutes("eth0", "10.0.0.0/8");
        OwnNode own = ownNode(interfacePrefix("cali"));

        assertThat(own.now(Optional.empty(), problems).localSources().pods())
                .asString()
                .isEqualTo("[10.244.3.7/32, 10.244.3.8/32]");
    }

    @Test
    void f12TheZoneIsALabelOfTheNode() {
        Node node =
                new NodeBuilder(node("a"))
                        .editMetadata()
                        .addToLabels("topology.kubernetes.io/zone", "z9")
                        .endMetadata()
                        .build();

        assertThat(
                        ownNode(detectLocal(Detection.NONE))
                                .now(Optional.of(facts(node)), problems)
                                .zone())
                .hasValue("z9");
        assertThat(facts(node("a")).zone()).isEmpty();
    }

    @Test
    void oddPodCidrsAreNamed() {
        Node node = podCidrs("10.244.3.0", "fd00:9:3::/64");

        assertThat(facts(node).podCidrs()).containsExactly(Cidr.parse("fd00:9:3::/64"));
        assertThat(problems.list())
                .singleElement()
                .hasToString(
                        "Node a: spec.podCIDRs[0] '10.244.3.0' must be an address range such as"
                                + " 10.0.0.0/8");
        node.setSpec(null);
        node.setMetadata(null);
        assertThat(facts(node))
                .isEqualTo(new NodeFacts(Optional.empty(), List.of(), Optional.empty()));
    }

    @Test
    void theOldFieldOfOnePodCidrIsReadWithoutTheNewOne() {
        Node node =
                new NodeBuilder(node("a"))
                        .withNewSpec()
                        .withPodCIDR("10.1.0.0/24")
                        .endSpec()
                        .build();

        assertThat(facts(node).podCidrs()).containsExactly(Cidr.parse("10.1.0.0/24"));
    }

    @Test
    void f35ANodeThatIsDeletedOrAboutToBeIsNotEligible() {
        Node deleted = node("a");
        deleted.getMetadata().setDeletionTimestamp("2026-01-01T00:00:00Z");

        assertThat(facts(deleted).ineligible())
                .hasValue("the Node is deleted since 2026-01-01T00:00:00Z");
        assertThat(facts(tainted("ToBeDeletedByClusterAutoscaler")).ineligible())
                .hasValue("the Node has the taint ToBeDeletedByClusterAutoscaler");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"node.kubernetes.io/unschedulable", "node.kubernetes.io/not-ready", "x"})
    void f35ACordonedNodeIsEligible(String taint) {
        Node node = tainted(taint);
        node.getSpec().setUnschedulable(true);

        assertThat(facts(node).ineligible()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"Node-1.Example, node-1.example", "' n1\n', n1"})
    void theNameIsInLowerCase(String configured, String expected) {
        assertThat(NodeName.of(Optional.of(configured), Map.of())).isEqualTo(expected);
    }

    @Test
    void withoutASettingTheHostNameIsTheName() {
        assertThat(NodeName.of(Optional.empty(), Map.of("HOSTNAME", "elsewhere")))
                .isNotEmpty()
                .isLowerCase()
                .doesNotContain("\n");
    }

    private OwnNode ownNode(DetectLocal detectLocal) {
        return KubernetesFixtures.ownNode(
                NodePortAddresses.parse(List.of("all")), detectLocal, kernel);
    }

    private ClientPlace placeOf(OwnNode node, Optional<NodeFacts> facts, String client) {
        return node.now(facts, problems).localSources().placeOf(IpAddress.parse(client));
    }

    private NodeFacts facts(Node node) {
        return NodeFacts.of(node, problems);
    }

    private static Node podCidrs(String... ranges) {
        return new NodeBuilder(node("a")).withNewSpec().withPodCIDRs(ranges).endSpec().build();
    }

    private static Node tainted(String key) {
        return new NodeBuilder(node("a"))
                .withNewSpec()
                .addNewTaint()
                .withKey(key)
                .withEffect("NoSchedule")
                .endTaint()
                .endSpec()
                .build();
    }

    private static DetectLocal detectLocal(Detection mode) {
        return new DetectLocal(mode, List.of(), Optional.empty(), Optional.empty());
    }

    private static DetectLocal interfacePrefix(String prefix) {
        return new DetectLocal(
                Detection.INTERFACE_NAME_PREFIX, List.of(), Optional.empty(), Optional.of(prefix));
    }
}
