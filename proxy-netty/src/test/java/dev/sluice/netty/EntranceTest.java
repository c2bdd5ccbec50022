package dev.sluice.netty;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.balance.RoundRobinSelectorFactory;
import dev.sluice.model.Cidr;
import dev.sluice.model.Endpoint;
import dev.sluice.model.ExternalAccess;
import dev.sluice.model.FrontEnd;
import dev.sluice.model.FrontEndKind;
import dev.sluice.model.IpAddress;
import dev.sluice.model.IpFamily;
import dev.sluice.model.LocalSources;
import dev.sluice.model.Protocol;
import dev.sluice.model.ServicePort;
import dev.sluice.model.ServicePortName;
import dev.sluice.model.SessionAffinity;
import dev.sluice.model.SourceRanges;
import dev.sluice.model.TrafficPolicy;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which endpoints a client gets at each kind of front end, by policies and by where it is. */
final class EntranceTest {
    private static final String ELSEWHERE = "203.0.113.9";
    private static final String POD = "10.244.1.9";
    private static final String NODE = "192.0.2.10";
    private static final LocalSources SOURCES =
            new LocalSources(List.of(Cidr.parse("10.244.1.0/24")), Set.of(IpAddress.parse(NODE)));
    private static final Endpoint HERE = endpoint("10.244.1.1");
    private static final Endpoint THERE = endpoint("10.244.2.1");

    @ParameterizedTest
    @CsvSource({
        // kind, internal, external, client -> from which set
        "CLUSTER_IP, CLUSTER, CLUSTER, 203.0.113.9, cluster",
        "CLUSTER_IP, CLUSTER, LOCAL, 203.0.113.9, cluster",
        "CLUSTER_IP, LOCAL, CLUSTER, 203.0.113.9, local",
        "CLUSTER_IP, LOCAL, CLUSTER, 10.244.1.9, local",
        "CLUSTER_IP, LOCAL, CLUSTER, 192.0.2.10, local",
        "NODE_PORT, CLUSTER, LOCAL, 203.0.113.9, local",
        "NODE_PORT, CLUSTER, LOCAL, 10.244.1.9, cluster",
        "NODE_PORT, CLUSTER, LOCAL, 192.0.2.10, cluster",
        "NODE_PORT, CLUSTER, LOCAL, 127.0.0.1, cluster",
        "NODE_PORT, LOCAL, CLUSTER, 203.0.113.9, cluster",
        "LOAD_BALANCER_IP, CLUSTER, LOCAL, 203.0.113.9, local",
        "LOAD_BALANCER_IP, LOCAL, LOCAL, 10.244.1.9, cluster",
        "EXTERNAL_IP, CLUSTER, LOCAL, 203.0.113.9, local",
        "EXTERNAL_IP, CLUSTER, LOCAL, 192.0.2.10, cluster",
    })
    void policiesAndPlacesChooseTheEndpoints(
            FrontEndKind kind,
            TrafficPolicy internal,
            TrafficPolicy external,
            String client,
            String set) {
        Entrance entrance =
                entrance(
                        kind,
                        servicePort(
                                internal,
                                external,
                                List.of(HERE, THERE),
                                List.of(HERE),
                                SourceRanges.ANY));

        assertThat(reached(entrance, client))
                .containsExactlyInAnyOrderElementsOf(
                        set.equals("local") ? List.of(HERE) : List.of(HERE, THERE));
    }

    @Test
    void withoutALocalEndpointThoseFromElsewhereGoNowhereAndOthersEverywhere() {
        ServicePort servicePort =
                servicePort(
                        TrafficPolicy.CLUSTER,
                        TrafficPolicy.LOCAL,
                        List.of(THERE),
                        List.of(),
                        SourceRanges.ANY);
        Entrance entrance = entrance(FrontEndKind.NODE_PORT, servicePort);

        assertThat(route(entrance, ELSEWHERE).refusal())
                .isEqualTo(ConnectionCounters.Event.NO_LOCAL_ENDPOINT);
        assertThat(route(entrance, ELSEWHERE).isOpen()).isFalse();
        assertThat(reached(entrance, POD)).containsExactly(THERE);
        assertThat(entrance.isOpen()).isTrue();
    }

    @Test
    void anInternalPolicyWithoutALocalEndpointIsClosedToEverybody() {
        Entrance entrance =
                entrance(
                        FrontEndKind.CLUSTER_IP,
                        servicePort(
                                TrafficPolicy.LOCAL,
                                TrafficPolicy.CLUSTER,
                                List.of(THERE),
                                List.of(),
                                SourceRanges.ANY));

        assertThat(entrance.isOpen()).isFalse();
        assertThat(route(entrance, POD).refusal())
                .isEqualTo(ConnectionCounters.Event.NO_LOCAL_ENDPOINT);
    }

    @Test
    void withoutAnyEndpointEverybodyIsRefusedWhateverThePolicy() {
        for (TrafficPolicy policy : TrafficPolicy.values()) {
            Entrance entrance =
                    entrance(
                            FrontEndKind.CLUSTER_IP,
                            servicePort(policy, policy, List.of(), List.of(), SourceRanges.ANY));

            assertThat(entrance.isOpen()).isFalse();
            assertThat(route(entrance, POD).refusal())
                    .isEqualTo(ConnectionCounters.Event.NO_ENDPOINT);
        }
    }

    @Test
    void rangesCloseLoadBalancerAndExternalAddressesToAllOthersPodsIncluded() {
        ServicePort servicePort =
                servicePort(
                        TrafficPolicy.CLUSTER,
                        TrafficPolicy.LOCAL,
                        List.of(HERE, THERE),
                        List.of(HERE),
                        SourceRanges.only(List.of(Cidr.parse("203.0.113.0/24"))));
        for (FrontEndKind kind : List.of(FrontEndKind.LOAD_BALANCER_IP, FrontEndKind.EXTERNAL_IP)) {
            Entrance entrance = entrance(kind, servicePort);
            assertThat(reached(entrance, ELSEWHERE)).containsExactly(HERE);
            assertThat(route(entrance, POD)).isEqualTo(Route.NOT_ALLOWED);
            assertThat(route(entrance, "fd00::1")).isEqualTo(Route.NOT_ALLOWED);
        }
        for (FrontEndKind kind : List.of(FrontEndKind.CLUSTER_IP, FrontEndKind.NODE_PORT)) {
            assertThat(route(entrance(kind, servicePort), POD).isOpen()).isTrue();
        }
    }

    @Test
    void anEmptyListOfRangesOpensToNobody() {
        Entrance entrance =
                entrance(
                        FrontEndKind.LOAD_BALANCER_IP,
                        servicePort(
                                TrafficPolicy.CLUSTER,
                                TrafficPolicy.CLUSTER,
                                List.of(THERE),
                                List.of(),
                                SourceRanges.only(List.of())));

        assertThat(entrance.isOpen()).isFalse();
        assertThat(route(entrance, ELSEWHERE)).isEqualTo(Route.NOT_ALLOWED);
    }

    @Test
    void aFamilyNeverGetsEndpointsOfTheOtherOne() {
        ServicePort servicePort =
                servicePort(
                        TrafficPolicy.CLUSTER,
                        TrafficPolicy.CLUSTER,
                        List.of(endpoint("fd00:244::1")),
                        List.of(),
                        SourceRanges.ANY);
        Backends backends =
                Backends.of(
                        servicePort, new RoundRobinSelectorFactory(new SplittableRandom(1)), true);

        Entrance four = backends.entrance(frontEnd("10.96.0.1"));
        Entrance six = backends.entrance(frontEnd("fd00:96::1"));

        assertThat(four).isNotNull().returns(false, Entrance::isOpen);
        assertThat(six).isNotNull().returns(true, Entrance::isOpen);
        assertThat(backends.entrance(frontEnd("10.96.0.2"))).isNull();
        assertThat(backends.entrance(null)).isNull();
    }

    private static FrontEnd frontEnd(String address) {
        return new FrontEnd(IpAddress.parse(address), 80, Protocol.TCP);
    }

    private static Endpoint endpoint(String address) {
        return new Endpoint(IpAddress.parse(address), 8080);
    }

    private static Route route(Entrance entrance, String client) {
        return entrance.route(IpAddress.parse(client), SOURCES);
    }

    /** Where the client's next connections go. */
    private static Set<Endpoint> reached(Entrance entrance, String client) {
        Route route = route(entrance, client);
        return Stream.generate(
                        () ->
                                route.selector()
                                        .flatMap(
                                                selector ->
                                                        selector.select(
                                                                IpAddress.parse(client), Set.of()))
                                        .orElseThrow())
                .limit(8)
                .collect(Collectors.toSet());
    }

    private static Entrance entrance(FrontEndKind kind, ServicePort servicePort) {
        return Entrance.of(
                servicePort,
                kind,
                IpFamily.IPV4,
                new RoundRobinSelectorFactory(new SplittableRandom(1)));
    }

    private static ServicePort servicePort(
            TrafficPolicy internal,
            TrafficPolicy external,
            List<Endpoint> endpoints,
            List<Endpoint> localEndpoints,
            SourceRanges ranges) {
        return new ServicePort(
                ServicePortName.of("default", "web", "", Protocol.TCP),
                List.of(IpAddress.parse("10.96.0.1"), IpAddress.parse("fd00:96::1")),
                80,
                SessionAffinity.NONE,
                endpoints,
                localEndpoints,
                internal,
                new ExternalAccess(
                        30080,
                        List.of(IpAddress.parse(NODE)),
                        List.of(IpAddress.parse("203.0.113.1")),
                        List.of(IpAddress.parse("198.51.100.1")),
                        external,
                        ranges));
    }
}
