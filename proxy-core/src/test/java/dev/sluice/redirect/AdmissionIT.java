package dev.sluice.redirect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.ProxyConfig;
import dev.sluice.config.ProxyConfig.Redirect.Flavour;
import dev.sluice.model.Cidr;
import dev.sluice.model.FrontEnd;
import dev.sluice.model.IpAddress;
import dev.sluice.model.IpFamily;
import dev.sluice.model.Protocol;
import dev.sluice.model.SourceRanges;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Who is dropped at a front end, and where datagrams go: a node, a pod of its own, and a host
 * outside.
 */
class AdmissionIT {
    private static final int LISTENER = 20001;
    private static final IpAddress NODE = IpAddress.parse("192.0.2.10");
    private static final FrontEnd WEB = Rules.tcp("203.0.113.1", 80);
    private static final FrontEnd WEB6 = Rules.tcp("2001:db8:1::1", 80);
    private static final FrontEnd DNS =
            new FrontEnd(IpAddress.parse("203.0.113.1"), 53, Protocol.UDP);
    private static final FrontEnd DNS6 =
            new FrontEnd(IpAddress.parse("2001:db8:1::1"), 53, Protocol.UDP);

    private static final List<AutoCloseable> OPEN = new ArrayList<>();
    private static Namespace node;
    private static NamespaceAgent nodeAgent;
    private static NamespaceAgent pod;
    private static NamespaceAgent outside;
    private String before = "";

    @BeforeAll
    static void connect() throws Exception {
        node = opened(Namespace.create("node-"));
        Namespace podNamespace = opened(Namespace.create("pod-"));
        Namespace outsideNamespace = opened(Namespace.create("outside-"));
        join(podNamespace, "vp", "10.1.0.1/24", "fd01::1/64", "10.1.0.2/24", "fd01::2/64");
        join(
                outsideNamespace,
                "vo",
                "192.0.2.10/24",
                "2001:db8::10/64",
                "192.0.2.20/24",
                "2001:db8::20/64");
        podNamespace.ip("route add default via 10.1.0.1");
        podNamespace.ip("-6 route add default via fd01::1");
        outsideNamespace.ip("route add default via 192.0.2.10");
        outsideNamespace.ip("-6 route add default via 2001:db8::10");
        // Connections are tracked where a rule asks for it, as on every node, and a flow is
        // forgotten whose first packet goes nowhere.
        for (String family : List.of("iptables-nft-restore", "ip6tables-nft-restore")) {
            node.restore(
                    family, "*filter\n-A FORWARD -m conntrack --ctstate INVALID -j DROP\nCOMMIT\n");
        }
        node.run("sysctl", "-qw", "net.ipv4.ip_forward=1");
        node.ip("route add default via 192.0.2.20");
        node.ip("-6 route add default via 2001:db8::20");
        nodeAgent = opened(NamespaceAgent.start(node));
        pod = opened(NamespaceAgent.start(podNamespace));
        outside = opened(NamespaceAgent.start(outsideNamespace));
        for (NamespaceAgent agent : List.of(nodeAgent, pod, outside)) {
            agent.patience(1_500);
        }
        nodeAgent.listen(LISTENER);
        nodeAgent.answer("192.0.2.10", LISTENER);
        nodeAgent.answer("2001:db8::10", LISTENER);
    }

    private static void join(
            Namespace other, String link, String here4, String here6, String there4, String there6)
            throws RedirectException {
        node.ip("link add " + link + " type veth peer name eth0 netns " + other.name());
        node.ip("link set " + link + " up");
        node.ip("addr add " + here4 + " dev " + link);
        node.ip("addr add " + here6 + " dev " + link);
        other.ip("link set eth0 up");
        other.ip("addr add " + there4 + " dev eth0");
        other.ip("addr add " + there6 + " dev eth0");
    }

    private static <T extends AutoCloseable> T opened(T resource) {
        OPEN.add(resource);
        return resource;
    }

    @AfterAll
    static void closeAll() throws Exception {
        Collections.reverse(OPEN);
        for (AutoCloseable resource : OPEN) {
            resource.close();
        }
        OPEN.clear();
    }

    @BeforeEach
    void remember() throws Exception {
        before = node.ruleset();
    }

    @AfterEach
    void nothingIsLeft() throws Exception {
        open(Flavour.NFT).removeAll();
        assertThat(node.ruleset()).isEqualTo(before);
        node.run("conntrack", "-F");
    }

    @ParameterizedTest
    @EnumSource(names = {"LEGACY", "NFT"})
    void whoIsNotAmongTheRangesHearsNothingNodeAndPodsIncluded(Flavour flavour) throws Exception {
        IptablesRedirectRules rules = open(flavour);
        RuleSet outsideOnly = rules(Map.of(), limits("192.0.2.20/32"), List.of());
        rules.replaceAll(outsideOnly);

        assertThat(outside.connect("203.0.113.1", 80)).isEqualTo("20001");
        assertThat(pod.connect("203.0.113.1", 80)).isEqualTo("timeout");
        assertThat(nodeAgent.connect("203.0.113.1", 80)).isEqualTo("timeout");
        assertThat(outside.datagram("203.0.113.1", 53)).isEqualTo("203.0.113.1:53");
        assertThat(pod.datagram("203.0.113.1", 53)).isEqualTo("timeout");
        assertThat(rules.isInForce(outsideOnly)).isTrue();

        // Of the other family there is no range, so nobody may.
        assertThat(outside.connect("2001:db8:1::1", 80)).isEqualTo("timeout");

        rules.replaceAll(rules(Map.of(), limits("10.1.0.0/24", "fd01::2/128"), List.of()));
        assertThat(outside.connect("203.0.113.1", 80)).isEqualTo("timeout");
        assertThat(pod.connect("203.0.113.1", 80)).isEqualTo("20001");
        assertThat(pod.connect("2001:db8:1::1", 80)).isEqualTo("20001");

        rules.replaceAll(rules(Map.of(), Map.of(), List.of()));
        assertThat(outside.connect("203.0.113.1", 80)).isEqualTo("20001");
        assertThat(nodeAgent.connect("203.0.113.1", 80)).isEqualTo("20001");
    }

    @ParameterizedTest
    @EnumSource(names = {"LEGACY", "NFT"})
    void aDropForThoseFromElsewhereSparesTheNodeAndItsPods(Flavour flavour) throws Exception {
        IptablesRedirectRules rules = open(flavour);
        rules.replaceAll(
                rules(
                        Map.of(WEB, DropScope.ELSEWHERE, WEB6, DropScope.ELSEWHERE),
                        Map.of(),
                        List.of(Cidr.parse("10.1.0.0/24"), Cidr.parse("fd01::/64"))));

        for (String address : List.of("203.0.113.1", "2001:db8:1::1")) {
            assertThat(outside.connect(address, 80)).as(address).isEqualTo("timeout");
            assertThat(pod.connect(address, 80)).as(address).isEqualTo("20001");
            assertThat(nodeAgent.connect(address, 80)).as(address).isEqualTo("20001");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"LEGACY", "NFT"})
    void aDropForEveryoneLeavesConnectionsAlone(Flavour flavour) throws Exception {
        IptablesRedirectRules rules = open(flavour);
        rules.replaceAll(rules(Map.of(), Map.of(), List.of()));
        List<NamespaceAgent> clients = List.of(nodeAgent, pod, outside);
        for (NamespaceAgent client : clients) {
            assertThat(client.hold("203.0.113.1", 80)).isEqualTo("20001");
        }

        rules.replaceAll(rules(Map.of(WEB, DropScope.EVERYONE), Map.of(), List.of()));

        for (NamespaceAgent client : clients) {
            assertThat(client.connect("203.0.113.1", 80)).isEqualTo("timeout");
            assertThat(client.say("hello")).isEqualTo("hello");
        }
    }

    /** What a NodePort has: a front end that is dropped and has no redirect. */
    @Test
    void anAddressOfTheNodeIsDroppedAsWell() throws Exception {
        FrontEnd nodePort = new FrontEnd(NODE, LISTENER, Protocol.TCP);
        open(Flavour.NFT)
                .replaceAll(rules(Map.of(nodePort, DropScope.ELSEWHERE), Map.of(), List.of()));

        assertThat(outside.connect("192.0.2.10", LISTENER)).isEqualTo("timeout");
        assertThat(nodeAgent.connect("192.0.2.10", LISTENER)).isEqualTo("20001");
    }

    @ParameterizedTest
    @EnumSource(names = {"LEGACY", "NFT"})
    void datagramsAreAnsweredFromTheAddressThatWasAsked(Flavour flavour) throws Exception {
        open(flavour).replaceAll(rules(Map.of(), Map.of(), List.of()));

        for (NamespaceAgent client : List.of(nodeAgent, pod, outside)) {
            assertThat(client.datagram("203.0.113.1", 53)).isEqualTo("203.0.113.1:53");
            assertThat(client.datagram("2001:db8:1::1", 53)).isEqualTo("2001:db8:1::1:53");
        }
    }

    /** First endpoint, external address, new Service: the flow was there before the rule. */
    @Test
    void aFlowThatIsOlderThanItsRuleFollowsIt() throws Exception {
        assertThat(pod.datagramFrom(40_000, "203.0.113.1", 53)).isNotEqualTo("203.0.113.1:53");
        IptablesRedirectRules rules = open(Flavour.NFT);

        rules.replaceAll(rules(Map.of(), Map.of(), List.of()));

        assertThat(pod.datagramFrom(40_000, "203.0.113.1", 53)).isEqualTo("203.0.113.1:53");
        assertThat(rules.counts().trackingDeleted()).containsEntry(IpFamily.IPV4, 1L);
    }

    /** None left, Service deleted: nothing remembers where the rule led. */
    @Test
    void aFlowDoesNotOutliveItsRule() throws Exception {
        IptablesRedirectRules rules = open(Flavour.NFT);
        rules.replaceAll(rules(Map.of(), Map.of(), List.of()));
        assertThat(pod.datagramFrom(40_000, "203.0.113.1", 53)).isEqualTo("203.0.113.1:53");

        // Another process, which knows nothing of the rule but what the kernel shows.
        open(Flavour.NFT).replaceAll(RuleSet.EMPTY);

        assertThat(node.run("conntrack", "-L", "-p", "udp")).doesNotContain("dst=203.0.113.1");
        assertThat(pod.datagramFrom(40_000, "203.0.113.1", 53)).isNotEqualTo("203.0.113.1:53");
    }

    /** What could not be looked at in one run is looked at in the next, though no rule changes. */
    @Test
    void aFlowFollowsItsRuleThoughConnectionTrackingCouldNotBeReadAtFirst() throws Exception {
        List<String> failing = new ArrayList<>();
        IptablesRedirectRules rules =
                open(
                        Flavour.NFT,
                        (command, input) ->
                                failing.contains(command.get(0))
                                        ? new Commands.Result(1, "", "scripted failure")
                                        : node.commands().run(command, input));
        rules.replaceAll(RuleSet.EMPTY);
        rules.replaceAll(rules(Map.of(), Map.of(), List.of()));
        assertThat(pod.datagramFrom(40_000, "203.0.113.1", 53)).isEqualTo("203.0.113.1:53");
        String conntrack =
                IptablesPrograms.which(IptablesPrograms.systemPath(), "conntrack")
                        .orElseThrow()
                        .toString();
        failing.add(conntrack);
        assertThatThrownBy(() -> rules.replaceAll(RuleSet.EMPTY))
                .isInstanceOf(RedirectException.class)
                .hasMessageContaining("scripted failure");
        failing.clear();

        rules.replaceAll(RuleSet.EMPTY);

        assertThat(node.run("conntrack", "-L", "-p", "udp")).doesNotContain("dst=203.0.113.1");
    }

    /** {@code sluice cleanup}, or a stop that takes the rules along: the next proxy gets them. */
    @Test
    void aFlowDoesNotOutliveTheRemovalOfAllRules() throws Exception {
        IptablesRedirectRules rules = open(Flavour.NFT);
        rules.replaceAll(rules(Map.of(), Map.of(), List.of()));
        assertThat(pod.datagramFrom(40_000, "203.0.113.1", 53)).isEqualTo("203.0.113.1:53");

        open(Flavour.NFT).removeAll();

        assertThat(node.run("conntrack", "-L", "-p", "udp")).doesNotContain("dst=203.0.113.1");
    }

    @Test
    void aFlowMovesWithThePortOfItsSocket() throws Exception {
        nodeAgent.answer("192.0.2.10", LISTENER + 1);
        IptablesRedirectRules rules = open(Flavour.NFT);
        rules.replaceAll(rules(Map.of(), Map.of(), List.of()));
        assertThat(pod.datagramFrom(40_000, "203.0.113.1", 53)).isEqualTo("203.0.113.1:53");

        rules.replaceAll(
                new RuleSet(
                        new TreeMap<>(Map.of(DNS, RedirectTarget.socket(NODE, LISTENER + 1))),
                        new TreeSet<>()));

        assertThat(pod.datagramFrom(40_000, "203.0.113.1", 53)).isEqualTo("203.0.113.1:53");
        assertThat(node.run("conntrack", "-L", "-p", "udp"))
                .contains("sport=" + (LISTENER + 1))
                .doesNotContain("sport=" + LISTENER + " ");
    }

    @Test
    void aFlowThatIsRefusedFollowsTheFrontEndThatComesAndEndsWithTheRules() throws Exception {
        IptablesRedirectRules rules = open(Flavour.NFT);
        rules.replaceAll(closing(WEB));
        assertThat(pod.datagramFrom(40_000, "203.0.113.1", 53)).isEqualTo("refused");
        assertThat(node.run("conntrack", "-L", "-p", "udp")).contains("sport=40000 dport=53");

        rules.replaceAll(closing(WEB, DNS));
        assertThat(pod.datagramFrom(40_000, "203.0.113.1", 53)).isEqualTo("203.0.113.1:53");

        assertThat(pod.datagramFrom(40_000, "203.0.113.1", 54)).isEqualTo("refused");
        rules.removeAll();
        assertThat(node.run("conntrack", "-L", "-p", "udp")).doesNotContain("dst=203.0.113.1");
    }

    private static RuleSet closing(FrontEnd... frontEnds) {
        SortedMap<FrontEnd, RedirectTarget> redirects =
                new TreeMap<>(rules(Map.of(), Map.of(), List.of()).redirects());
        redirects.keySet().retainAll(List.of(frontEnds));
        return new RuleSet(
                redirects,
                new TreeSet<>(),
                new TreeMap<>(),
                new TreeMap<>(),
                List.of(),
                new TreeSet<>(List.of(WEB.address())));
    }

    @Test
    void aRestartWithTheSamePortsTouchesNoFlow() throws Exception {
        open(Flavour.NFT).replaceAll(rules(Map.of(), Map.of(), List.of()));
        assertThat(pod.datagramFrom(40_000, "203.0.113.1", 53)).isEqualTo("203.0.113.1:53");
        IptablesRedirectRules next = open(Flavour.NFT);

        next.replaceAll(rules(Map.of(), Map.of(), List.of()));

        assertThat(next.counts().trackingDeleted())
                .allSatisfy((family, deleted) -> assertThat(deleted).isZero());
        assertThat(node.run("conntrack", "-L", "-p", "udp")).contains("sport=40000 dport=53");
    }

    /** A SYN that was sent before the rule: what the client sends again is redirected. */
    @Test
    void anAttemptToConnectThatIsOlderThanItsRuleSucceeds() throws Exception {
        // The host outside does not forward it, so the first SYN has no answer.
        assertThat(pod.connectLater("203.0.113.1", 80)).isEqualTo("connecting");
        assertThat(node.run("conntrack", "-L", "-p", "tcp")).contains("dst=203.0.113.1");

        open(Flavour.NFT).replaceAll(rules(Map.of(), Map.of(), List.of()));

        assertThat(pod.connected()).isEqualTo("20001");
    }

    private static Map<FrontEnd, SourceRanges> limits(String... ranges) {
        SourceRanges allowed = SourceRanges.only(Stream.of(ranges).map(Cidr::parse).toList());
        return Map.of(WEB, allowed, WEB6, allowed, DNS, allowed);
    }

    private static RuleSet rules(
            Map<FrontEnd, DropScope> dropped,
            Map<FrontEnd, SourceRanges> limited,
            List<Cidr> pods) {
        return new RuleSet(
                new TreeMap<>(
                        Map.of(
                                WEB,
                                RedirectTarget.port(LISTENER),
                                WEB6,
                                RedirectTarget.port(LISTENER),
                                DNS,
                                RedirectTarget.socket(NODE, LISTENER),
                                DNS6,
                                RedirectTarget.socket(IpAddress.parse("2001:db8::10"), LISTENER))),
                new TreeSet<>(),
                new TreeMap<>(dropped),
                new TreeMap<>(limited),
                pods,
                new TreeSet<>());
    }

    private static IptablesRedirectRules open(Flavour flavour) throws Exception {
        return open(flavour, node.commands());
    }

    private static IptablesRedirectRules open(Flavour flavour, Commands commands) throws Exception {
        ProxyConfig.Redirect settings =
                new ProxyConfig.Redirect(
                        ProxyConfig.Redirect.Mode.IPTABLES,
                        flavour,
                        Optional.empty(),
                        Optional.empty(),
                        Duration.ofSeconds(5),
                        false);
        return IptablesRedirectRules.open(
                settings,
                commands,
                IptablesPrograms.systemPath(),
                nodeAgent::network,
                System::nanoTime);
    }
}
