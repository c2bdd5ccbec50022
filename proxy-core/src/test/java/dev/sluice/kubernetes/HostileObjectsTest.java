package dev.sluice.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.Cidr;
import dev.sluice.model.Endpoint;
import dev.sluice.model.FrontEnd;
import dev.sluice.model.FrontEndKind;
import dev.sluice.model.IpAddress;
import dev.sluice.model.ServicePort;
import dev.sluice.model.ServicePortName;
import dev.sluice.model.ServiceSnapshot;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A hundred thousand pairs of a Service and a slice that no API server has looked at, half of them
 * nearly right. What comes out is bounded and holds accepted addresses only; that no name is looked
 * up is held by the rules of the architecture.
 */
class HostileObjectsTest {
    private static final int PAIRS = 100_000;
    private static final int AT_ONCE = 20;
    private static final long SEED = 20_260_101;

    private static final ServiceRules RULES =
            new ServiceRules(
                    LoopbackEndpoints.REFUSED,
                    Optional.empty(),
                    List.of(Cidr.parse("203.0.113.0/24"), Cidr.parse("127.0.0.0/8")));

    @Test
    @Timeout(120)
    void noPairDoesHarm() {
        Random random = new Random(SEED);
        HostileObjects objects = new HostileObjects(random);
        SnapshotBuilder builder = new SnapshotBuilder(RULES);
        long served = 0;
        long problems = 0;
        for (int done = 0; done < PAIRS; done += AT_ONCE) {
            ServiceSnapshot snapshot =
                    builder.build(objects.pairs(AT_ONCE), KubernetesFixtures.NODE);

            assertBounded(snapshot);
            assertNoFrontEndTwice(snapshot);
            snapshot.servicePorts().values().forEach(HostileObjectsTest::assertAccepted);
            served += snapshot.servicePorts().size();
            problems += snapshot.problems().size();
        }
        // Otherwise the generator would show nothing.
        assertThat(served).isGreaterThan(PAIRS / 4);
        assertThat(problems).isGreaterThan(PAIRS / 4);
    }

    @Test
    void whatIsKeptOfObjectsGivesTheSameSnapshot() {
        KubernetesObjects whole = new HostileObjects(new Random(SEED)).pairs(20 * AT_ONCE);
        KubernetesObjects kept = new HostileObjects(new Random(SEED)).pairs(20 * AT_ONCE);

        Stream.of(kept.services(), kept.slices(), kept.endpoints())
                .flatMap(Collection::stream)
                .forEach(LeanStore::strip);

        ServiceSnapshot snapshot = new SnapshotBuilder(RULES).build(kept, KubernetesFixtures.NODE);
        assertThat(snapshot)
                .isEqualTo(new SnapshotBuilder(RULES).build(whole, KubernetesFixtures.NODE));
        assertThat(snapshot.servicePorts()).isNotEmpty();
    }

    private static void assertBounded(ServiceSnapshot snapshot) {
        assertThat(snapshot.problems())
                .hasSizeLessThan(AT_ONCE * 4 * (ObjectProblems.MOST + 1))
                .allSatisfy(
                        problem ->
                                assertThat(problem.toString())
                                        .hasSizeLessThan(2_000)
                                        .doesNotContain("could not be read")
                                        .doesNotContainPattern("\\p{Cntrl}"));
        assertThat(snapshot.healthChecks()).hasSizeLessThanOrEqualTo(AT_ONCE);
    }

    private static void assertNoFrontEndTwice(ServiceSnapshot snapshot) {
        Map<FrontEnd, ServicePortName> owners = new HashMap<>();
        snapshot.servicePorts()
                .values()
                .forEach(
                        port ->
                                port.frontEnds()
                                        .forEach(
                                                frontEnd ->
                                                        assertThat(
                                                                        owners.put(
                                                                                frontEnd,
                                                                                port.name()))
                                                                .as("%s", frontEnd)
                                                                .isNull()));
    }

    private static void assertAccepted(ServicePort port) {
        port.kinds()
                .forEach(
                        (frontEnd, kind) -> {
                            if (kind == FrontEndKind.NODE_PORT) {
                                assertThat(KubernetesFixtures.NODE.nodePortAddresses())
                                        .contains(frontEnd.address());
                            } else {
                                assertUsable(frontEnd.address());
                            }
                        });
        assertThat(port.external().externalIps())
                .allMatch(address -> Cidr.parse("203.0.113.0/24").contains(address));
        assertThat(port.endpoints())
                .extracting(Endpoint::address)
                .allSatisfy(HostileObjectsTest::assertUsable);
        assertThat(port.frontEnds())
                .as("%s leads back to itself", port.name())
                .noneMatch(
                        frontEnd ->
                                port.endpoints()
                                        .contains(
                                                new Endpoint(frontEnd.address(), frontEnd.port())));
    }

    private static void assertUsable(IpAddress address) {
        assertThat(
                        address.isLoopback()
                                || address.isLinkLocal()
                                || address.isUnspecified()
                                || address.isMulticast()
                                || address.isBroadcast())
                .as("%s", address)
                .isFalse();
    }
}
