package dev.sluice.kubernetes;

import static dev.sluice.kubernetes.KubernetesFixtures.NODE;
import static dev.sluice.kubernetes.KubernetesFixtures.build;
import static dev.sluice.kubernetes.KubernetesFixtures.loadBalancer;
import static dev.sluice.kubernetes.KubernetesFixtures.objects;
import static dev.sluice.kubernetes.KubernetesFixtures.only;
import static dev.sluice.kubernetes.KubernetesFixtures.problems;
import static dev.sluice.kubernetes.KubernetesFixtures.service;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.Cidr;
import dev.sluice.model.IpAddress;
import dev.sluice.model.ServiceSnapshot;
import dev.sluice.model.SourceRanges;
import io.fabric8.kubernetes.api.model.LoadBalancerIngress;
import io.fabric8.kubernetes.api.model.Service;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** NodePorts, addresses of load balancers, external IPs and who may use them. */
class ExternalAddressesTest {

    @ParameterizedTest
    @ValueSource(strings = {"ClusterIP", "NodePort", "LoadBalancer"})
    void f4TheFieldAndNotTheTypeMakesANodePort(String type) {
        Service web = nodePort(30080);
        web.getSpec().setType(type);

        assertThat(only(build(web)).frontEnds())
                .asString()
                .isEqualTo("[10.96.0.1:80/tcp, 192.0.2.1:30080/tcp, [fd00:2::1]:30080/tcp]");
    }

    @ParameterizedTest
    @ValueSource(ints = 0)
    void f4WithoutNumberThereIsNoNodePort(int number) {
        Service zero = nodePort(number);
        Service absent = loadBalancer("web");
        absent.getSpec().getPorts().get(0).setNodePort(null);

        for (Service service : List.of(zero, absent)) {
            ServiceSnapshot snapshot = build(service);
            assertThat(only(snapshot).external().nodePort()).isZero();
            assertThat(only(snapshot).frontEnds()).asString().isEqualTo("[10.96.0.1:80/tcp]");
            assertThat(snapshot.problems()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 65_536, Integer.MAX_VALUE})
    void f4AWrongNodePortLeavesTheClusterIp(int number) {
        ServiceSnapshot snapshot = build(nodePort(number));

        assertThat(only(snapshot).frontEnds()).asString().isEqualTo("[10.96.0.1:80/tcp]");
        assertThat(problems(snapshot))
                .containsExactly(
                        "Service default/web: spec.ports[0].nodePort '"
                                + number
                                + "' is not in 1..65535");
    }

    @ParameterizedTest
    @CsvSource({
        "        , [198.51.100.7]",
        "VIP     , [198.51.100.7]",
        "Proxy   , []",
    })
    void f5TheIpModeTellsWhetherAnAddressIsServed(@Nullable String mode, String served) {
        ServiceSnapshot snapshot = build(ingress("198.51.100.7", mode));

        assertThat(only(snapshot).external().loadBalancerIps()).asString().isEqualTo(served);
        assertThat(snapshot.problems()).isEmpty();
    }

    @Test
    void f5AHostNameIsNoAddress() {
        LoadBalancerIngress named = new LoadBalancerIngress();
        named.setHostname("lb.example.com");
        Service web = loadBalancer("web", "198.51.100.7");
        web.getStatus().getLoadBalancer().setIngress(List.of(named));

        ServiceSnapshot snapshot = build(web);

        assertThat(only(snapshot).external().loadBalancerIps()).isEmpty();
        assertThat(snapshot.problems()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "198.51.100.7 , vip, ipMode 'vip' is not one of VIP, Proxy",
        "             , VIP, ipMode 'VIP' is set without ip",
        "127.0.0.1    ,    , 'ip ''127.0.0.1'' is a loopback address, which is never served'",
        "169.254.1.1  ,    , 'ip ''169.254.1.1'' is a link-local address, which is never served'",
        "224.0.0.1    ,    , 'ip ''224.0.0.1'' is a multicast address, which is never served'",
        "010.0.0.1    ,    , 'ip ''010.0.0.1'' is not an IP address: leading zeros are ambiguous"
                + " (octal or decimal)'",
    })
    void f5AWrongEntryIsNamedAndTheOthersAreServed(
            @Nullable String ip, @Nullable String mode, String problem) {
        Service web = ingress(ip, mode);
        LoadBalancerIngress good = new LoadBalancerIngress();
        good.setIp("fd00:5::7");
        web.getStatus()
                .getLoadBalancer()
                .setIngress(
                        Arrays.asList(web.getStatus().getLoadBalancer().getIngress().get(0), good));

        ServiceSnapshot snapshot = build(web);

        assertThat(only(snapshot).external().loadBalancerIps()).asString().isEqualTo("[fd00:5::7]");
        assertThat(problems(snapshot)).hasSize(1);
        assertThat(problems(snapshot).get(0))
                .startsWith("Service default/web: status.loadBalancer.ingress[0].")
                .contains(problem.replace("VIP, Proxy", "VIP"));
    }

    @Test
    void f5TheStatusOfOtherTypesIsNotRead() {
        Service web = loadBalancer("web", "198.51.100.7");
        web.getSpec().setType("NodePort");

        assertThat(only(build(web)).external().loadBalancerIps()).isEmpty();
    }

    @Test
    void f6ExternalIpsAreServedOnlyWhereTheSettingAllows() {
        Service web = service("web", "10.96.0.1");
        web.getSpec()
                .setExternalIPs(
                        Arrays.asList(
                                "203.0.113.9", "198.51.100.7", "fd00:5::7", "127.0.0.1", null));

        ServiceSnapshot snapshot = buildAllowing(web, "203.0.113.0/24", "fd00:5::/64", "::/0");

        assertThat(only(snapshot).external().externalIps())
                .asString()
                .isEqualTo("[203.0.113.9, fd00:5::7]");
        assertThat(problems(snapshot))
                .containsExactly(
                        "Service default/web: spec.externalIPs[1] '198.51.100.7' is in no range of"
                                + " the setting services.external-ips",
                        "Service default/web: spec.externalIPs[3] '127.0.0.1' is a loopback"
                                + " address, which is never served",
                        "Service default/web: spec.externalIPs[4] is missing");
    }

    @Test
    void f6NoExternalIpIsServedByDefault() {
        Service web = service("web", "10.96.0.1");
        web.getSpec().setExternalIPs(List.of("203.0.113.9"));

        ServiceSnapshot snapshot = build(web);

        assertThat(only(snapshot).frontEnds()).asString().isEqualTo("[10.96.0.1:80/tcp]");
        assertThat(snapshot.problems()).hasSize(1);
    }

    @Test
    void f6ThousandsOfExternalIpsStayBounded() {
        Service web = service("web", "10.96.0.1");
        web.getSpec()
                .setExternalIPs(
                        IntStream.range(0, 5000)
                                .mapToObj(i -> "203.0." + i / 250 + "." + i % 250)
                                .toList());

        ServiceSnapshot snapshot = buildAllowing(web, "203.0.0.0/16");

        assertThat(only(snapshot).external().externalIps()).hasSize(64);
        assertThat(problems(snapshot))
                .containsExactly(
                        "Service default/web: spec.externalIPs '5000 addresses' are more than 64,"
                                + " and the others are left out");
    }

    @Test
    void f7SourceRangesAreTrimmedAndOfBothFamilies() {
        SourceRanges ranges =
                only(build(ranges(" 10.0.0.0/8\t", "fd00::/8"))).external().sourceRanges();

        assertThat(ranges.allows(IpAddress.parse("10.1.2.3"))).isTrue();
        assertThat(ranges.allows(IpAddress.parse("fd00::5"))).isTrue();
        assertThat(ranges.allows(IpAddress.parse("192.0.2.7"))).isFalse();
    }

    @Test
    void f7NoRangesAllowEverybody() {
        assertThat(only(build(loadBalancer("web"))).external().sourceRanges())
                .isEqualTo(SourceRanges.ANY);
        assertThat(only(build(ranges())).external().sourceRanges()).isEqualTo(SourceRanges.ANY);
    }

    /** Unlike in kube-proxy, which drops the ranges of the other family before it looks. */
    @Test
    void f7RangesOfOneFamilyDoNotOpenTheOther() {
        SourceRanges ranges = only(build(ranges("10.0.0.0/8"))).external().sourceRanges();

        assertThat(ranges.allows(IpAddress.parse("fd00::5"))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.0.0.0", "10.0.0.0/33", "everybody", "", "0.0.0.0/-0"})
    void f7ABadRangeAllowsNobody(String bad) {
        ServiceSnapshot alone = build(ranges(bad));
        ServiceSnapshot beside = build(ranges(bad, "192.0.2.0/24"));

        assertThat(only(alone).external().sourceRanges()).isEqualTo(SourceRanges.only(List.of()));
        assertThat(only(beside).external().sourceRanges())
                .isEqualTo(SourceRanges.only(List.of(Cidr.parse("192.0.2.0/24"))));
        assertThat(alone.problems())
                .singleElement()
                .satisfies(
                        problem -> {
                            assertThat(problem.field())
                                    .isEqualTo("spec.loadBalancerSourceRanges[0]");
                            assertThat(problem.value()).isEqualTo(bad);
                        });
    }

    @Test
    void f7AnAbsentEntryAllowsNobodyEither() {
        Service web = ranges();
        web.getSpec().setLoadBalancerSourceRanges(Collections.singletonList(null));

        assertThat(only(build(web)).external().sourceRanges())
                .isEqualTo(SourceRanges.only(List.of()));
    }

    private static Service nodePort(int number) {
        Service web = service("web", "10.96.0.1");
        web.getSpec().getPorts().get(0).setNodePort(number);
        return web;
    }

    private static Service ingress(@Nullable String ip, @Nullable String mode) {
        Service web = loadBalancer("web", "");
        LoadBalancerIngress entry = web.getStatus().getLoadBalancer().getIngress().get(0);
        entry.setIp(ip);
        entry.setIpMode(mode);
        return web;
    }

    private static Service ranges(String... ranges) {
        Service web = loadBalancer("web", "198.51.100.7");
        web.getSpec().setLoadBalancerSourceRanges(List.of(ranges));
        return web;
    }

    private static ServiceSnapshot buildAllowing(Service service, String... externalIps) {
        ServiceRules rules =
                new ServiceRules(
                        LoopbackEndpoints.REFUSED,
                        Optional.empty(),
                        Arrays.stream(externalIps).map(Cidr::parse).toList());
        return new SnapshotBuilder(rules).build(objects(service), NODE);
    }
}
