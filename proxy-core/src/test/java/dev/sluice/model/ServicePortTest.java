package dev.sluice.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ServicePortTest {
    private static final ServicePortName WEB =
            ServicePortName.of("default", "web", "http", Protocol.TCP);
    private static final List<Endpoint> SOMEWHERE = List.of(endpoint("10.244.2.7"));
    private static final List<Endpoint> HERE = List.of(endpoint("10.244.1.7"));

    /** KEP-2086 and KEP-1669, and the short-circuit of external addresses. */
    @ParameterizedTest
    @CsvSource({
        // policies, kind, client; answer with endpoints here, elsewhere, nowhere
        "CLUSTER, CLUSTER, CLUSTER_IP,       ELSEWHERE, SERVE, SERVE, REFUSE",
        "CLUSTER, CLUSTER, CLUSTER_IP,       THIS_NODE, SERVE, SERVE, REFUSE",
        "CLUSTER, CLUSTER, NODE_PORT,        ELSEWHERE, SERVE, SERVE, REFUSE",
        "CLUSTER, CLUSTER, LOAD_BALANCER_IP, ELSEWHERE, SERVE, SERVE, REFUSE",
        "CLUSTER, CLUSTER, EXTERNAL_IP,      ELSEWHERE, SERVE, SERVE, REFUSE",
        "LOCAL,   CLUSTER, CLUSTER_IP,       ELSEWHERE, SERVE, DROP,  REFUSE",
        "LOCAL,   CLUSTER, CLUSTER_IP,       THIS_NODE, SERVE, DROP,  REFUSE",
        "LOCAL,   CLUSTER, NODE_PORT,        ELSEWHERE, SERVE, SERVE, REFUSE",
        "CLUSTER, LOCAL,   CLUSTER_IP,       ELSEWHERE, SERVE, SERVE, REFUSE",
        "CLUSTER, LOCAL,   NODE_PORT,        ELSEWHERE, SERVE, DROP,  REFUSE",
        "CLUSTER, LOCAL,   NODE_PORT,        THIS_NODE, SERVE, SERVE, REFUSE",
        "CLUSTER, LOCAL,   LOAD_BALANCER_IP, ELSEWHERE, SERVE, DROP,  REFUSE",
        "CLUSTER, LOCAL,   LOAD_BALANCER_IP, THIS_NODE, SERVE, SERVE, REFUSE",
        "CLUSTER, LOCAL,   EXTERNAL_IP,      ELSEWHERE, SERVE, DROP,  REFUSE",
        "CLUSTER, LOCAL,   EXTERNAL_IP,      THIS_NODE, SERVE, SERVE, REFUSE",
    })
    void thePoliciesDecideByKindAndPlace(
            TrafficPolicy internal,
            TrafficPolicy external,
            FrontEndKind kind,
            ClientPlace place,
            Answer here,
            Answer elsewhere,
            Answer nowhere) {
        assertThat(port(internal, external, HERE, HERE).answer(kind, IpFamily.IPV4, place))
                .isEqualTo(here);
        assertThat(
                        port(internal, external, SOMEWHERE, List.of())
                                .answer(kind, IpFamily.IPV4, place))
                .isEqualTo(elsewhere);
        assertThat(
                        port(internal, external, List.of(), List.of())
                                .answer(kind, IpFamily.IPV4, place))
                .isEqualTo(nowhere);
    }

    @Test
    void aFamilyWithoutEndpointsIsRefusedWhateverTheOtherHas() {
        ServicePort port = port(TrafficPolicy.LOCAL, TrafficPolicy.LOCAL, HERE, HERE);

        for (FrontEndKind kind : FrontEndKind.values()) {
            assertThat(port.answer(kind, IpFamily.IPV6, ClientPlace.ELSEWHERE))
                    .isEqualTo(Answer.REFUSE);
        }
    }

    @Test
    void externalClientsGetThoseOfThisNodeOnlyAndClientsOnItAll() {
        ServicePort port =
                port(
                        TrafficPolicy.CLUSTER,
                        TrafficPolicy.LOCAL,
                        List.of(endpoint("10.244.2.7"), endpoint("10.244.1.7")),
                        HERE);

        assertThat(port.endpointSet(FrontEndKind.NODE_PORT, ClientPlace.ELSEWHERE))
                .isEqualTo(EndpointSet.LOCAL);
        assertThat(port.endpoints(EndpointSet.LOCAL, IpFamily.IPV4)).isEqualTo(HERE);
        assertThat(port.endpointSet(FrontEndKind.NODE_PORT, ClientPlace.THIS_NODE))
                .isEqualTo(EndpointSet.CLUSTER);
        assertThat(port.endpoints(EndpointSet.CLUSTER, IpFamily.IPV4))
                .containsExactly(endpoint("10.244.1.7"), endpoint("10.244.2.7"));
    }

    @Test
    void anAddressInTwoListsHasTheFirstKind() {
        IpAddress both = IpAddress.parse("198.51.100.7");
        ServicePort port =
                new ServicePort(
                        WEB,
                        List.of(IpAddress.parse("10.96.0.10")),
                        80,
                        SessionAffinity.NONE,
                        HERE,
                        List.of(),
                        TrafficPolicy.CLUSTER,
                        new ExternalAccess(
                                30_080,
                                List.of(both),
                                List.of(both),
                                List.of(both),
                                TrafficPolicy.CLUSTER,
                                SourceRanges.only(List.of(Cidr.parse("203.0.113.0/24")))));

        assertThat(port.kinds())
                .containsExactly(
                        entry("10.96.0.10", 80, FrontEndKind.CLUSTER_IP),
                        entry("198.51.100.7", 30_080, FrontEndKind.NODE_PORT),
                        entry("198.51.100.7", 80, FrontEndKind.LOAD_BALANCER_IP));
        assertThat(port.frontEnds()).hasSize(3);
    }

    @ParameterizedTest
    @CsvSource({
        "CLUSTER_IP, true",
        "NODE_PORT, true",
        "LOAD_BALANCER_IP, false",
        "EXTERNAL_IP, false"
    })
    void sourceRangesLimitOnlyWhatALoadBalancerStandsBefore(FrontEndKind kind, boolean allowed) {
        ServicePort port =
                new ServicePort(
                        WEB,
                        List.of(IpAddress.parse("10.96.0.10")),
                        80,
                        SessionAffinity.NONE,
                        HERE,
                        List.of(),
                        TrafficPolicy.CLUSTER,
                        new ExternalAccess(
                                0,
                                List.of(),
                                List.of(),
                                List.of(),
                                TrafficPolicy.CLUSTER,
                                SourceRanges.only(List.of(Cidr.parse("203.0.113.0/24")))));

        assertThat(port.sourceRanges(kind).allows(IpAddress.parse("192.0.2.1"))).isEqualTo(allowed);
    }

    private static Map.Entry<FrontEnd, FrontEndKind> entry(
            String address, int port, FrontEndKind kind) {
        return Map.entry(new FrontEnd(IpAddress.parse(address), port, Protocol.TCP), kind);
    }

    private static ServicePort port(
            TrafficPolicy internal,
            TrafficPolicy external,
            List<Endpoint> endpoints,
            List<Endpoint> local) {
        return new ServicePort(
                WEB,
                List.of(IpAddress.parse("10.96.0.10")),
                80,
                SessionAffinity.NONE,
                endpoints,
                local,
                internal,
                ExternalAccess.nodePort(30_080, List.of(IpAddress.parse("192.0.2.10")), external));
    }

    private static Endpoint endpoint(String address) {
        return new Endpoint(IpAddress.parse(address), 8080);
    }
}
