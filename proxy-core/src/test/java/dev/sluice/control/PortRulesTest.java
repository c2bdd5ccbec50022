package dev.sluice.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.Cidr;
import dev.sluice.model.Endpoint;
import dev.sluice.model.ExternalAccess;
import dev.sluice.model.FrontEnd;
import dev.sluice.model.IpAddress;
import dev.sluice.model.Protocol;
import dev.sluice.model.ServicePort;
import dev.sluice.model.ServicePortName;
import dev.sluice.model.SessionAffinity;
import dev.sluice.model.SourceRanges;
import dev.sluice.model.TrafficPolicy;
import dev.sluice.redirect.DropScope;
import dev.sluice.redirect.RedirectTarget;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the kernel is asked to do for each kind of front end, policy and place of endpoints. */
class PortRulesTest {
    private static final FrontEnd CLUSTER4 = frontEnd("10.96.0.1", 80);
    private static final FrontEnd CLUSTER6 = frontEnd("fd00:96::1", 80);
    private static final FrontEnd NODE_PORT = frontEnd("192.0.2.10", 30080);
    private static final FrontEnd BALANCER = frontEnd("203.0.113.1", 80);
    private static final FrontEnd EXTERNAL = frontEnd("198.51.100.1", 80);
    private static final String REMOTE = "10.244.2.1";
    private static final String LOCAL = "10.244.1.1";

    @Test
    void aServicePortWithAnyEndpointIsRedirectedOnly() {
        PortRules rules = rules(TrafficPolicy.CLUSTER, TrafficPolicy.CLUSTER, endpoints(REMOTE));

        assertThat(rules.redirects()).containsOnlyKeys(CLUSTER4, CLUSTER6, BALANCER, EXTERNAL);
        assertThat(rules.dropped()).isEmpty();
        assertThat(rules.limited()).isEmpty();
    }

    @Test
    void aFamilyWithoutAnyEndpointIsRefusedWhereItIsRedirected() {
        assertThat(rules(TrafficPolicy.CLUSTER, TrafficPolicy.CLUSTER, endpoints(REMOTE)).refused())
                .containsExactly(CLUSTER6);
        assertThat(
                        rules(
                                        TrafficPolicy.CLUSTER,
                                        TrafficPolicy.CLUSTER,
                                        endpoints("fd00:244::1"))
                                .refused())
                .containsExactlyInAnyOrder(CLUSTER4, BALANCER, EXTERNAL);
    }

    @Test
    void aListenerWithoutAnyEndpointRefusesByItself() {
        PortRules rules = rules(TrafficPolicy.LOCAL, TrafficPolicy.LOCAL, endpoints());

        assertThat(rules.refused()).isEmpty();
        assertThat(rules.dropped()).isEmpty();
    }

    @Test
    void anInternalPolicyWithoutALocalEndpointDropsEverybody() {
        PortRules rules = rules(TrafficPolicy.LOCAL, TrafficPolicy.CLUSTER, endpoints(REMOTE));

        assertThat(rules.dropped()).isEqualTo(Map.of(CLUSTER4, DropScope.EVERYONE));
    }

    @Test
    void anExternalPolicyWithoutALocalEndpointDropsThoseFromElsewhere() {
        PortRules rules = rules(TrafficPolicy.CLUSTER, TrafficPolicy.LOCAL, endpoints(REMOTE));

        assertThat(rules.dropped())
                .isEqualTo(
                        Map.of(
                                NODE_PORT, DropScope.ELSEWHERE,
                                BALANCER, DropScope.ELSEWHERE,
                                EXTERNAL, DropScope.ELSEWHERE));
    }

    @Test
    void aLocalEndpointIsEnoughForBothPolicies() {
        PortRules rules =
                rules(
                        TrafficPolicy.LOCAL,
                        TrafficPolicy.LOCAL,
                        endpoints(REMOTE, LOCAL),
                        endpoints(LOCAL),
                        SourceRanges.ANY);

        assertThat(rules.dropped()).isEmpty();
    }

    @Test
    void sourceRangesLimitLoadBalancerAndExternalAddressesOnly() {
        SourceRanges ranges = SourceRanges.only(List.of(Cidr.parse("203.0.113.0/24")));

        PortRules rules =
                rules(
                        TrafficPolicy.CLUSTER,
                        TrafficPolicy.CLUSTER,
                        endpoints(REMOTE),
                        List.of(),
                        ranges);

        assertThat(rules.limited()).isEqualTo(Map.of(BALANCER, ranges, EXTERNAL, ranges));
    }

    private static PortRules rules(
            TrafficPolicy internal, TrafficPolicy external, List<Endpoint> endpoints) {
        return rules(internal, external, endpoints, List.of(), SourceRanges.ANY);
    }

    /** The listener has sockets of its own for the NodePort. */
    private static PortRules rules(
            TrafficPolicy internal,
            TrafficPolicy external,
            List<Endpoint> endpoints,
            List<Endpoint> localEndpoints,
            SourceRanges ranges) {
        ServicePort servicePort =
                new ServicePort(
                        ServicePortName.of("default", "web", "http", Protocol.TCP),
                        List.of(CLUSTER4.address(), CLUSTER6.address()),
                        80,
                        SessionAffinity.NONE,
                        endpoints,
                        localEndpoints,
                        internal,
                        new ExternalAccess(
                                NODE_PORT.port(),
                                List.of(NODE_PORT.address()),
                                List.of(BALANCER.address()),
                                List.of(EXTERNAL.address()),
                                external,
                                ranges));
        Map<FrontEnd, RedirectTarget> targets = new HashMap<>();
        servicePort.frontEnds().stream()
                .filter(frontEnd -> !frontEnd.equals(NODE_PORT))
                .forEach(frontEnd -> targets.put(frontEnd, RedirectTarget.port(20_000)));
        return PortRules.of(servicePort, new OpenListener(20_000, targets));
    }

    private static FrontEnd frontEnd(String address, int port) {
        return new FrontEnd(IpAddress.parse(address), port, Protocol.TCP);
    }

    private static List<Endpoint> endpoints(String... addresses) {
        return Stream.of(addresses)
                .map(address -> new Endpoint(IpAddress.parse(address), 8080))
                .toList();
    }
}
