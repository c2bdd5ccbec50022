package dev.sluice.redirect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.ProxyConfig;
import dev.sluice.config.ProxyConfig.Redirect.Flavour;
import dev.sluice.model.FrontEnd;
import dev.sluice.model.IpAddress;
import dev.sluice.model.IpFamily;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Where connections to a front end end up: from the node, from a pod behind a bridge that has an
 * address, and from one behind a veth that has none, set up as Calico does it.
 */
class RedirectedTrafficIT {
    private static final int LISTENER = 20001;
    private static final FrontEnd WEB4 = Rules.tcp("10.96.0.1", 80);
    private static final FrontEnd WEB6 = Rules.tcp("fd00:96::1", 80);
    private static final FrontEnd REFUSED4 = Rules.tcp("10.96.0.2", 80);
    private static final FrontEnd REFUSED6 = Rules.tcp("fd00:96::2", 80);
    private static final SortedMap<FrontEnd, RedirectTarget> REDIRECTS =
            new TreeMap<>(
                    Map.of(
                            WEB4,
                            RedirectTarget.port(LISTENER),
                            WEB6,
                            RedirectTarget.port(LISTENER),
                            REFUSED4,
                            RedirectTarget.port(LISTENER),
                            REFUSED6,
                            RedirectTarget.port(LISTENER)));
    private static final RuleSet RULES = new RuleSet(REDIRECTS, Rules.refused(REFUSED4, REFUSED6));

    private static final List<AutoCloseable> OPEN = new ArrayList<>();
    private static Namespace node;
    private static NamespaceAgent nodeAgent;
    private static NamespaceAgent bridgedPod;
    private static NamespaceAgent routedPod;

    @BeforeAll
    static void connectNodeAndPods() throws Exception {
        node = opened(Namespace.create("node-"));
        Namespace bridged = opened(Namespace.create("bridged-"));
        Namespace routed = opened(Namespace.create("routed-"));

        forward(1);
        node.ip("link add eth0 type veth peer name outside");
        node.ip("link set outside up");
        node.ip("link set eth0 up");
        node.ip("addr add 192.0.2.10/24 dev eth0");
        node.ip("addr add 2001:db8::10/64 dev eth0");
        addDefaultRoutes();

        node.ip("link add br0 type bridge");
        node.ip("link set br0 up");
        node.ip("addr add 10.1.0.1/24 dev br0");
        node.ip("addr add fd01::1/64 dev br0");
        node.ip("link add vb0 type veth peer name eth0 netns " + bridged.name());
        node.ip("link set vb0 master br0 up");
        bridged.ip("link set eth0 up");
        bridged.ip("addr add 10.1.0.2/24 dev eth0");
        bridged.ip("addr add fd01::2/64 dev eth0");
        bridged.ip("route add default via 10.1.0.1");
        bridged.ip("-6 route add default via fd01::1");

        node.ip("link add cali0 type veth peer name eth0 netns " + routed.name());
        node.ip("link set cali0 address ee:ee:ee:ee:ee:ee up");
        node.run(
                "sysctl",
                "-qw",
                "net.ipv4.conf.cali0.proxy_arp=1",
                "net.ipv4.neigh.cali0.proxy_delay=0");
        node.ip("route add 10.2.0.2/32 dev cali0");
        node.ip("-6 route add fd02::2/128 dev cali0");
        routed.ip("link set eth0 up");
        routed.ip("addr add 10.2.0.2/32 dev eth0");
        routed.ip("addr add fd02::2/128 dev eth0");
        routed.ip("route add 169.254.1.1 dev eth0 scope link");
        // A node that doesn't forward answers no ARP request for another's address.
        routed.ip("neigh add 169.254.1.1 lladdr ee:ee:ee:ee:ee:ee dev eth0 nud permanent");
        routed.ip("route add default via 169.254.1.1 dev eth0");
        routed.ip("-6 route add default via fe80::ecee:eeff:feee:eeee dev eth0");

        nodeAgent = opened(NamespaceAgent.start(node));
        bridgedPod = opened(NamespaceAgent.start(bridged));
        routedPod = opened(NamespaceAgent.start(routed));
        nodeAgent.listen(LISTENER);
    }

    private static void addDefaultRoutes() throws RedirectException {
        node.ip("route add default via 192.0.2.1 dev eth0");
        node.ip("-6 route add default via 2001:db8::1 dev eth0");
    }

    private static <T extends AutoCloseable> T opened(T resource) {
        OPEN.add(resource);
        return resource;
    }

    @AfterEach
    void restoreTheNode() throws Exception {
        open(Flavour.NFT).removeAll();
        forward(1);
    }

    private static void forward(int enabled) throws RedirectException {
        node.run(
                "sysctl",
                "-qw",
                "net.ipv4.ip_forward=" + enabled,
                "net.ipv6.conf.all.forwarding=" + enabled);
    }

    @AfterAll
    static void closeAll() throws Exception {
        Collections.reverse(OPEN);
        for (AutoCloseable resource : OPEN) {
            resource.close();
        }
        OPEN.clear();
    }

    @Test
    void theNodesInterfacesAreReadAsTheyAre() throws Exception {
        NodeNetwork network = nodeAgent.network();

        assertThat(network.numbered(IpFamily.IPV4))
                .extracting(NodeInterface::name)
                .containsExactly("br0", "eth0");
        assertThat(network.numbered(IpFamily.IPV6))
                .extracting(NodeInterface::name)
                .containsExactly("br0", "eth0");
        assertThat(network.address(IpFamily.IPV4)).hasValue(IpAddress.parse("192.0.2.10"));
        assertThat(network.address(IpFamily.IPV6)).hasValue(IpAddress.parse("2001:db8::10"));
    }

    @ParameterizedTest
    @EnumSource(names = {"LEGACY", "NFT"})
    void everyClientReachesTheListenerInBothFamilies(Flavour flavour) throws Exception {
        open(flavour).replaceAll(RULES);

        assertAll("10.96.0.1", String.valueOf(LISTENER));
        assertAll("fd00:96::1", String.valueOf(LISTENER));
    }

    @ParameterizedTest
    @EnumSource(names = {"LEGACY", "NFT"})
    void amongThousandsEveryClientReachesTheListener(Flavour flavour) throws Exception {
        SortedMap<FrontEnd, RedirectTarget> redirects = new TreeMap<>(RULES.redirects());
        for (int i = 0; i < 2_000; i++) {
            redirects.put(
                    Rules.tcp("10.97." + i / 200 + "." + i % 200, 80), RedirectTarget.port(1));
            redirects.put(
                    Rules.tcp("fd00:97::" + Integer.toHexString(i), 80), RedirectTarget.port(1));
        }
        FrontEnd among4 = Rules.tcp("10.97.3.250", 80);
        FrontEnd among6 = Rules.tcp("fd00:97::3:250", 80);
        redirects.put(among4, RedirectTarget.port(LISTENER));
        redirects.put(among6, RedirectTarget.port(LISTENER));
        open(flavour).replaceAll(new RuleSet(redirects, RULES.refused()));

        assertAll("10.97.3.250", String.valueOf(LISTENER));
        assertAll("fd00:97::3:250", String.valueOf(LISTENER));
        assertAll("10.96.0.1", String.valueOf(LISTENER));
        assertAll("fd00:96::2", "refused");
    }

    @ParameterizedTest
    @CsvSource({"LEGACY, 0", "LEGACY, 1", "NFT, 0", "NFT, 1"})
    void aRefusedFrontEndIsRefusedToEveryClientOfANodeThatForwardsOrNot(
            Flavour flavour, int forwarding) throws Exception {
        forward(forwarding);
        open(flavour).replaceAll(RULES);

        assertAll("10.96.0.2", "refused");
        assertAll("fd00:96::2", "refused");
        assertAll("10.96.0.1", String.valueOf(LISTENER));
        assertAll("fd00:96::1", String.valueOf(LISTENER));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void aRefusedFrontEndIsRefusedWhetherBridgedPacketsPassIptablesOrNot(int pass)
            throws Exception {
        open(Flavour.NFT).replaceAll(RULES);
        // Unknown, and thereby 0, where br_netfilter is not loaded.
        node.run(
                "sysctl",
                "-eqw",
                "net.bridge.bridge-nf-call-iptables=" + pass,
                "net.bridge.bridge-nf-call-ip6tables=" + pass);

        assertAll("10.96.0.2", "refused");
        assertAll("fd00:96::2", "refused");
    }

    @ParameterizedTest
    @EnumSource(names = {"LEGACY", "NFT"})
    void aPodIsRefusedWithoutARouteOfTheNode(Flavour flavour) throws Exception {
        node.ip("route del default");
        node.ip("-6 route del default");
        try {
            open(flavour).replaceAll(RULES);

            for (String address : List.of("10.96.0.2", "fd00:96::2")) {
                assertThat(bridgedPod.connect(address, 80)).isEqualTo("refused");
                assertThat(routedPod.connect(address, 80)).isEqualTo("refused");
            }
        } finally {
            addDefaultRoutes();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "LEGACY, 10.96.0.2",
        "LEGACY, fd00:96::2",
        "NFT, 10.96.0.2",
        "NFT, fd00:96::2",
    })
    void connectionsOfAFrontEndThatIsRefusedFromNowOnGoOn(Flavour flavour, String address)
            throws Exception {
        IptablesRedirectRules rules = open(flavour);
        rules.replaceAll(new RuleSet(REDIRECTS, Rules.refused()));
        List<NamespaceAgent> clients = List.of(nodeAgent, bridgedPod, routedPod);
        for (NamespaceAgent client : clients) {
            assertThat(client.hold(address, 80)).isEqualTo(String.valueOf(LISTENER));
        }

        rules.replaceAll(RULES);
        assertAll(address, "refused");
        for (NamespaceAgent client : clients) {
            assertThat(client.say("hello")).isEqualTo("hello");
        }

        rules.replaceAll(new RuleSet(REDIRECTS, Rules.refused()));
        assertAll(address, String.valueOf(LISTENER));
    }

    @ParameterizedTest
    @CsvSource({"LEGACY, 10.96.0.1", "NFT, 10.96.0.1", "LEGACY, fd00:96::1", "NFT, fd00:96::1"})
    void otherPortsOfAClosedAddressAreRefusedOverBothProtocols(Flavour flavour, String address)
            throws Exception {
        IptablesRedirectRules rules = open(flavour);
        rules.replaceAll(closing());

        for (NamespaceAgent client : List.of(nodeAgent, bridgedPod, routedPod)) {
            assertThat(client.connect(address, 80)).isEqualTo(String.valueOf(LISTENER));
            assertThat(client.connect(address, 8080)).isEqualTo("refused");
            assertThat(client.datagram(address, 80)).isEqualTo("refused");
        }
        assertThat(rules.isInForce(RULES)).isTrue();
        assertThat(open(flavour).isInForce(new RuleSet(REDIRECTS, Rules.refused()))).isFalse();

        rules.replaceAll(RULES);
        assertThat(node.ruleset()).doesNotContain("SLUICE-OTHER").doesNotContain("SLUICE-REFUSE");
    }

    private static RuleSet closing() {
        return new RuleSet(
                REDIRECTS,
                Rules.refused(REFUSED4, REFUSED6),
                new TreeMap<>(),
                new TreeMap<>(),
                List.of(),
                new TreeSet<>(List.of(WEB4.address(), WEB6.address())));
    }

    @ParameterizedTest
    @CsvSource({"10.96.0.1, 10.96.0.2", "fd00:96::1, fd00:96::2"})
    void afterAFlushTheNextCallBringsTrafficBack(String redirected, String refused)
            throws Exception {
        IptablesRedirectRules rules = open(Flavour.NFT);
        rules.replaceAll(RULES);
        node.run("nft", "flush", "ruleset");

        rules.replaceAll(RULES);

        assertAll(redirected, String.valueOf(LISTENER));
        assertAll(refused, "refused");
    }

    private static void assertAll(String address, String answer) throws Exception {
        assertThat(nodeAgent.connect(address, 80)).as("node to " + address).isEqualTo(answer);
        assertThat(bridgedPod.connect(address, 80))
                .as("pod behind a bridge to " + address)
                .isEqualTo(answer);
        assertThat(routedPod.connect(address, 80))
                .as("pod behind a veth without address to " + address)
                .isEqualTo(answer);
    }

    private static IptablesRedirectRules open(Flavour flavour) throws Exception {
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
                node.commands(),
                IptablesPrograms.systemPath(),
                nodeAgent::network,
                System::nanoTime);
    }
}
