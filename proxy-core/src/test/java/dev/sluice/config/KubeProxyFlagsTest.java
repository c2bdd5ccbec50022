package dev.sluice.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

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
        return KubeProxyTable.ALL.stream()
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

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--cluster-cidr=10.0.0.0/8 | CLUSTER_CIDR",
                "--cluster-cidr=10.0.0.0/8 --detect-local-mode=ClusterCIDR | CLUSTER_CIDR",
                "--cluster-cidr=10.0.0.0/8 --detect-local-mode=NodeCIDR | NODE_CIDR",
                "--detect-local-mode=NodeCIDR --cluster-cidr=10.0.0.0/8 | NODE_CIDR",
                "--detect-local-mode=ClusterCIDR | NONE",
                "--detect-local-mode=ClusterCIDR --cluster-cidr= | NONE",
            })
    void rangesOfPodsAreUsedWhereNoOtherModeIsNamedInAnyOrder(
            String arguments, ProxyConfig.DetectLocal.Detection mode) {
        KubeProxyFlags flags = of(arguments.split(" ", -1));

        ProxyConfig config =
                ConfigLoader.load(new ConfigSources(flags.flags(), Map.of(), Optional.empty()));

        assertThat(config.node().detectLocal().mode()).isEqualTo(mode);
    }

    /** As k3s starts it, and as kops did. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "--cluster-cidr=10.42.0.0/16 --conntrack-max-per-core=0"
                        + " --conntrack-tcp-timeout-close-wait=0s"
                        + " --conntrack-tcp-timeout-established=0s"
                        + " --healthz-bind-address=127.0.0.1 --hostname-override=node-1"
                        + " --kubeconfig=/k --proxy-mode=iptables",
                "--alsologtostderr=false --cluster-cidr=100.96.0.0/11"
                        + " --conntrack-max-per-core=32768 --hostname-override=node-1"
                        + " --kubeconfig=/k --logtostderr=true --v=2",
                "--logtostderr --alsologtostderr=false --stderrthreshold 2 --kubeconfig=/k"
            })
    void commandLinesOfDistributionsAreTakenWithoutAWarning(String arguments) {
        KubeProxyFlags flags = of(arguments.split(" ", -1));

        assertThat(flags.rest()).containsExactly("--kubeconfig=/k");
        assertThat(flags.unused()).isEmpty();
    }

    @Test
    void aLogFileIsNamedHoweverItIsWritten() {
        assertThat(of("--log_dir=/var/log", "--log-file", "/x").unused())
                .containsExactly("--log-dir=/var/log", "--log-file=/x");
    }

    @Test
    void nodePortsOnLocalhostThatAreRefusedAreNamed() {
        assertThat(of("--iptables-localhost-nodeports=false").unused())
                .containsExactly("--iptables-localhost-nodeports=false");
        assertThat(of("--iptables-localhost-nodeports").unused()).isEmpty();
    }

    @Test
    void noPortRangeIsAnyPort() {
        assertThat(of("--proxy-port-range=0-0", "--proxy-port-range=").flags()).isEmpty();
    }

    @Test
    void theVerbosityMayStandApart() {
        assertThat(of("-v", "2", "--set", "a=b").rest()).containsExactly("--set", "a=b");
        assertThat(of("-v", "6").rest()).containsExactly("-v");
        assertThat(of("-v", "run").rest()).containsExactly("-v", "run");
    }

    @Test
    void switchesMayHaveAValue() {
        assertThat(of("--cleanup=true", "--init-only=false").rest()).containsExactly("--cleanup");
        assertThatThrownBy(() -> of("--cleanup=yes"))
                .isInstanceOf(InvalidConfigException.class)
                .hasMessage("--cleanup=yes: must be true or false");
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
