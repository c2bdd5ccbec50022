package dev.sluice.kubernetes;

import static dev.sluice.kubernetes.KubernetesFixtures.build;
import static dev.sluice.kubernetes.KubernetesFixtures.loadBalancer;
import static dev.sluice.kubernetes.KubernetesFixtures.names;
import static dev.sluice.kubernetes.KubernetesFixtures.problems;
import static dev.sluice.kubernetes.KubernetesFixtures.service;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.control.UnusableSourceException;
import dev.sluice.model.ServiceSnapshot;
import java.net.URI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ApiServerGuardTest {
    @Test
    void anAddressOfIpv6IsKnownInItsBrackets() {
        ApiServerGuard guard = new ApiServerGuard(URI.create("https://[fd00:0::1]:80"));

        assertThatThrownBy(() -> guard.check(build(service("six", "fd00::1"))))
                .isInstanceOf(UnusableSourceException.class);
    }

    private final ServiceSnapshot web = build(service("web", "10.96.0.1"));

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://10.96.0.1:80",
                "http://10.96.0.1",
                "http://10.96.0.1/",
                "https://10.96.0.1:6443",
                "https://web.default.svc:80",
                "https://web.default.svc",
                "https://web.default.svc.cluster.local:80"
            })
    void aServerBehindAServedClusterIpEndsTheStart(String server) {
        ApiServerGuard guard = new ApiServerGuard(URI.create(server));

        assertThatThrownBy(() -> guard.check(web))
                .isInstanceOf(UnusableSourceException.class)
                .hasMessageContaining(server)
                .hasMessageContaining("an address of default/web:http/tcp")
                .hasMessageContaining("sluice.kubernetes.api-server");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://10.96.0.2:80",
                "https://[fd00::1]:80",
                "https://web:80",
                "https://web.default:80",
                "https://web.example.com:80",
                "https://web.default.example.com:80",
                "https://web.other.svc:80",
                "https://api:80"
            })
    void anotherAddressOrPortIsNoMatter(String server) {
        assertThat(new ApiServerGuard(URI.create(server)).check(web)).isSameAs(web);
    }

    @Test
    void aServiceThatTakesTheAddressLaterIsLeftOutAlone() {
        ApiServerGuard guard = new ApiServerGuard(URI.create("https://10.96.0.2:80"));
        guard.check(web);

        ServiceSnapshot checked =
                guard.check(build(service("web", "10.96.0.1"), service("thief", "10.96.0.2")));

        assertThat(names(checked)).containsExactly("web/http");
        assertThat(problems(checked))
                .containsExactly(
                        "Service default/thief: spec.ports '10.96.0.2' is the address at which"
                                + " this proxy reaches the API server");
    }

    @Test
    void aLoadBalancerThatTakesTheAddressLaterIsLeftOut() {
        ApiServerGuard guard = new ApiServerGuard(URI.create("https://198.51.100.1:80"));
        guard.check(web);

        ServiceSnapshot checked = guard.check(build(loadBalancer("thief", "198.51.100.1")));

        assertThat(checked.servicePorts()).isEmpty();
    }
}
