package dev.sluice.affinity;

import static dev.sluice.affinity.AffinityFixture.CLIENT;
import static dev.sluice.affinity.AffinityFixture.WEB;
import static dev.sluice.affinity.AffinityFixture.client;
import static dev.sluice.affinity.AffinityFixture.clientIp;
import static dev.sluice.affinity.AffinityFixture.connect;
import static dev.sluice.affinity.AffinityFixture.endpoint;
import static dev.sluice.affinity.AffinityFixture.endpoints;
import static dev.sluice.affinity.AffinityFixture.port;
import static dev.sluice.model.IpFamily.IPV4;
import static dev.sluice.model.IpFamily.IPV6;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.balance.BackendSelector;
import dev.sluice.model.Endpoint;
import dev.sluice.model.EndpointSet;
import dev.sluice.model.IpAddress;
import dev.sluice.model.Protocol;
import dev.sluice.model.ServicePort;
import dev.sluice.model.ServicePortName;
import dev.sluice.model.SessionAffinity;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What becomes of the pins when Services change. */
class AffinitySelectorFactoryTest {
    private final AffinityFixture fixture = new AffinityFixture(10_000);

    @Test
    void withoutAffinityAClientIsBalancedAndNothingIsKept() {
        BackendSelector selector = fixture.web(SessionAffinity.NONE, endpoints(3));

        assertThat(Stream.generate(() -> connect(selector, CLIENT)).limit(3))
                .containsExactlyElementsOf(endpoints(3));
        assertThat(fixture.pins()).isZero();
    }

    @Test
    void aClientGoesToOneEndpointWhetherEndpointsOrServiceCameFirstAndAfterScalingToZero() {
        for (List<Endpoint> endpoints : List.of(List.<Endpoint>of(), endpoints(2), endpoints(2))) {
            fixture.web(SessionAffinity.NONE, endpoints);
            assertStays(fixture.web(clientIp(10_800), endpoints(2)));
            assertThat(fixture.web(clientIp(10_800), List.of()).select(CLIENT, Set.of())).isEmpty();
            assertThat(fixture.pins()).isZero();
            assertStays(fixture.web(clientIp(10_800), endpoints(2)));
        }
    }

    @Test
    void pinsOutlastAChangeOfOtherEndpoints() {
        Endpoint pinned = connect(fixture.web(clientIp(60), endpoints(2)), CLIENT);

        BackendSelector grown = fixture.web(clientIp(60), endpoints(50));

        assertThat(connect(grown, CLIENT)).isEqualTo(pinned);
    }

    @Test
    void aPinEndsWhenItsEndpointLeaves() {
        BackendSelector before = fixture.web(clientIp(60), endpoints(2));
        assertThat(connect(before, client(1))).isEqualTo(endpoint(1));
        assertThat(connect(before, client(2))).isEqualTo(endpoint(2));

        BackendSelector after = fixture.web(clientIp(60), List.of(endpoint(2)));

        assertThat(fixture.pins()).isEqualTo(1);
        assertThat(connect(after, client(1))).isEqualTo(endpoint(2));
    }

    @Test
    void aPinDoesNotComeBackWithItsEndpoint() {
        connect(fixture.web(clientIp(60), endpoints(3)), CLIENT);
        fixture.web(clientIp(60), List.of(endpoint(2), endpoint(3)));

        BackendSelector back = fixture.web(clientIp(60), endpoints(3));

        assertThat(fixture.pins()).isZero();
        assertThat(connect(back, CLIENT)).isEqualTo(endpoint(2));
    }

    @Test
    void switchingToNoneDropsThePinsAndBackStartsAnew() {
        Endpoint pinned = connect(fixture.web(clientIp(60), endpoints(3)), CLIENT);

        BackendSelector none = fixture.web(SessionAffinity.NONE, endpoints(3));
        assertThat(fixture.pins()).isZero();
        assertThat(connect(none, CLIENT)).isNotEqualTo(connect(none, CLIENT));

        BackendSelector again = fixture.web(clientIp(60), endpoints(3));
        assertThat(fixture.pins()).isZero();
        connect(again, client(1));
        assertThat(connect(again, CLIENT)).isNotEqualTo(pinned);
        assertStays(again);
    }

    @Test
    void eachPortOfAServiceHasItsOwnPins() {
        ServicePortName admin = ServicePortName.of("default", "web", "admin", Protocol.TCP);
        BackendSelector webSelector = fixture.web(clientIp(60), endpoints(3));
        BackendSelector adminSelector =
                fixture.factory.selector(
                        port(admin, "10.96.0.1", clientIp(60), endpoints(3)),
                        EndpointSet.CLUSTER,
                        IPV4);

        Map<IpAddress, Endpoint> web = new HashMap<>();
        Map<IpAddress, Endpoint> other = new HashMap<>();
        // One connection more on one port shifts the turns of the two against each other.
        connect(adminSelector, client(999));
        for (int i = 0; i < 50; i++) {
            web.put(client(i), connect(webSelector, client(i)));
            other.put(client(i), connect(adminSelector, client(i)));
        }

        for (int i = 0; i < 50; i++) {
            assertThat(connect(webSelector, client(i))).isEqualTo(web.get(client(i)));
            assertThat(connect(adminSelector, client(i))).isEqualTo(other.get(client(i)));
            assertThat(web.get(client(i))).isNotEqualTo(other.get(client(i)));
        }
        fixture.factory.remove(admin);
        assertThat(fixture.factory.pins(admin, IPV4)).isZero();
        assertThat(fixture.pins()).isEqualTo(50);
    }

    @Test
    void eachFamilyHasItsOwnPins() {
        Endpoint six = new Endpoint(IpAddress.parse("fd00::1"), 8080);
        ServicePort both =
                new ServicePort(
                        WEB,
                        List.of(IpAddress.parse("10.96.0.1"), IpAddress.parse("fd00:96::1")),
                        80,
                        clientIp(60),
                        List.of(endpoint(1), six));

        assertThat(connect(fixture.factory.selector(both, EndpointSet.CLUSTER, IPV4), CLIENT))
                .isEqualTo(endpoint(1));
        assertThat(connect(fixture.factory.selector(both, EndpointSet.CLUSTER, IPV6), CLIENT))
                .isEqualTo(six);
        assertThat(fixture.pins()).isEqualTo(1);
        assertThat(fixture.factory.pins(WEB, IPV6)).isEqualTo(1);
    }

    @Test
    void aRemovedServicePortKeepsNothing() {
        Endpoint pinned = connect(fixture.web(clientIp(60), endpoints(3)), CLIENT);

        fixture.factory.remove(WEB);

        assertThat(fixture.pins()).isZero();
        BackendSelector again = fixture.web(clientIp(60), endpoints(3));
        connect(again, client(1));
        assertThat(connect(again, CLIENT)).isNotEqualTo(pinned);
    }

    @Test
    void aServiceRecreatedWithAnotherClusterIpStartsWithoutPins() {
        connect(fixture.web(clientIp(60), endpoints(3)), CLIENT);

        fixture.factory.selector(
                port(WEB, "10.96.0.2", clientIp(60), endpoints(3)), EndpointSet.CLUSTER, IPV4);

        assertThat(fixture.pins()).isZero();
    }

    @Test
    void aSecondFamilyAddedToALiveServiceKeepsThePinsOfTheFirst() {
        connect(fixture.web(clientIp(60), endpoints(3)), CLIENT);

        ServicePort both =
                new ServicePort(
                        WEB,
                        List.of(IpAddress.parse("10.96.0.1"), IpAddress.parse("fd00:96::1")),
                        80,
                        clientIp(60),
                        endpoints(3));
        fixture.factory.selector(both, EndpointSet.CLUSTER, IPV4);

        assertThat(fixture.pins()).isEqualTo(1);
    }

    private static void assertStays(BackendSelector selector) {
        Set<Endpoint> seen = new HashSet<>();
        for (int i = 0; i < 100; i++) {
            seen.add(connect(selector, CLIENT));
            // Other clients move the round on meanwhile.
            connect(selector, client(1 + i));
        }
        assertThat(seen).hasSize(1);
    }
}
