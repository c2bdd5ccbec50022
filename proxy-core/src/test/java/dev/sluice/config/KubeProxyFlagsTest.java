package dev.sluice.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class KubeProxyFlagsTest {
    @Test
    void theArgumentsOfADaemonSetBecomeSettings() {
        KubeProxyFlags flags =
                of(
                        "--config=/var/lib/kube-proxy/config.conf",
                        "--hostname-override=Node-1",
                        "--cluster-cidr",
                        "10.244.0.0/16",
                        "--nodeport-addresses=primary",
                        "--healthz-bind-address=0.0.0.0",
                        "--metrics-bind-address=",
                        "--proxy-port-range=20000+10",
                        "--master=https://192.0.2.1:6443",
                        "--kubeconfig=/etc/kubeconfig",
                        "-v=2");

        assertThat(flags.rest())
                .containsExactly(
                        "--config=/var/lib/kube-proxy/config.conf", "--kubeconfig=/etc/kubeconfig");
        assertThat(flags.flags())
                .extracting(flag -> flag.origin() + " " + flag.key() + " " + flag.text())
                .containsExactly(
                        "--hostname-override node.name node-1",
                        "--cluster-cidr node.detect-local.mode cluster-cidr",
                        "--cluster-cidr node.detect-local.cluster-cidrs 10.244.0.0/16",
                        "--nodeport-addresses node-ports.addresses primary",
                        "--healthz-bind-address health.address 0.0.0.0:10256",
                        "--metrics-bind-address admin.address none",
                        "--proxy-port-range listener.port-range 20000-20010",
                        "--master kubernetes.api-server https://192.0.2.1:6443");
        assertThat(flags.unused()).isEmpty();
    }

    @Test
    void whatHappensAnywayIsNoNewsAndTheRestIsNamed() {
        KubeProxyFlags flags =
                of(
                        "--proxy-mode=iptables",
                        "--masquerade-all",
                        "--conntrack-max-per-core=0",
                        "--ipvs-scheduler=lc",
                        "--profiling",
                        "--conntrack-tcp-timeout-established=0s",
                        "--feature-gates=A=true");

        assertThat(flags.unused())
                .containsExactly(
                        "--ipvs-scheduler=lc", "--profiling=true", "--feature-gates=A=true");
        assertThat(flags.rest()).isEmpty();
    }

    static Stream<KubeProxySetting> flags() {
        return KubeProxySetting.ALL.stream()
                .filter(setting -> !setting.flag().isEmpty())
                .filter(setting -> !setting.flag().equals("kubeconfig"));
    }

    @ParameterizedTest
    @MethodSource("flags")
    void everyFlagIsTakenOutOfTheCommandLine(KubeProxySetting setting) {
        KubeProxyFlags flags = of("--" + setting.flag() + "=0", "run");

        assertThat(flags.rest()).containsExactly("run");
    }

    @Test
    void muchVerbosityIsMoreOfTheLogAndLittleIsNone() {
        assertThat(of("--v=4").rest()).containsExactly("-v");
        assertThat(of("-v5").rest()).containsExactly("-v");
        assertThat(of("--v", "2", "run").rest()).containsExactly("run");
        assertThat(of("-v").rest()).containsExactly("-v");
        assertThatThrownBy(() -> of("--v=much")).hasMessageContaining("must have a verbosity");
    }

    @Test
    void aFlagWithoutItsValueOrWithAWrongOneIsNamed() {
        assertThatThrownBy(() -> of("--cluster-cidr"))
                .isInstanceOf(InvalidConfigException.class)
                .hasMessage("--cluster-cidr: must have a value");
        assertThatThrownBy(() -> of("--detect-local-mode=pods"))
                .hasMessageStartingWith("--detect-local-mode = 'pods': must be one of ClusterCIDR");
    }

    @Test
    void otherArgumentsAreLeftAlone() {
        assertThat(of("run", "--manifests", "x", "--set", "a=b", "-h").rest())
                .containsExactly("run", "--manifests", "x", "--set", "a=b", "-h");
    }

    private static KubeProxyFlags of(String... arguments) {
        return KubeProxyFlags.of(List.of(arguments));
    }
}
