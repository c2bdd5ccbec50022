package dev.sluice.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.sluice.config.ConfigSources.Flag;
import dev.sluice.model.Cidr;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

class KubeProxyFileTest {
    /** In the shape of the ConfigMap that kubeadm makes. */
    private static final String KUBEADM =
            """
            apiVersion: kubeproxy.config.k8s.io/v1alpha1
            bindAddress: 0.0.0.0
            bindAddressHardFail: false
            clientConnection:
              acceptContentTypes: ""
              burst: 0
              contentType: ""
              kubeconfig: /var/lib/kube-proxy/kubeconfig.conf
              qps: 0
            clusterCIDR: 10.244.0.0/16,fd00:244::/48
            configSyncPeriod: 0s
            conntrack:
              maxPerCore: null
              min: null
              tcpBeLiberal: false
              tcpCloseWaitTimeout: null
              tcpEstablishedTimeout: null
              udpStreamTimeout: 0s
              udpTimeout: 0s
            detectLocal:
              bridgeInterface: ""
              interfaceNamePrefix: ""
            detectLocalMode: ""
            enableProfiling: false
            healthzBindAddress: ""
            hostnameOverride: ""
            iptables:
              localhostNodePorts: null
              masqueradeAll: false
              masqueradeBit: null
              minSyncPeriod: 0s
              syncPeriod: 0s
            ipvs:
              excludeCIDRs: null
              minSyncPeriod: 0s
              scheduler: ""
              strictARP: false
              syncPeriod: 0s
              tcpFinTimeout: 0s
              tcpTimeout: 0s
              udpTimeout: 0s
            kind: KubeProxyConfiguration
            logging:
              flushFrequency: 0
              options:
                json:
                  infoBufferSize: "0"
              verbosity: 0
            metricsBindAddress: ""
            mode: ""
            nftables:
              masqueradeAll: false
              masqueradeBit: null
              minSyncPeriod: 0s
              syncPeriod: 0s
            nodePortAddresses: null
            oomScoreAdj: null
            portRange: ""
            showHiddenMetricsForVersion: ""
            winkernel:
              enableDSR: false
              forwardHealthCheckVip: false
              networkName: ""
              rootHnsEndpointName: ""
              sourceVip: ""
            """;

    private static final String HEAD =
            "apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\n";

    @TempDir private Path folder;
    private final Logger logger = (Logger) LoggerFactory.getLogger(KubeProxyFile.class);
    private final ListAppender<ILoggingEvent> logged = new ListAppender<>();

    @BeforeEach
    void listen() {
        logged.start();
        logger.addAppender(logged);
    }

    @AfterEach
    void stop() {
        logger.detachAppender(logged);
    }

    @Test
    void theFileThatKubeadmMakesSaysWhereTheApiServerIsAndWhoIsLocalAndNothingElse()
            throws IOException {
        ProxyConfig config = load(KUBEADM);

        assertThat(config.kubernetes().kubeconfig())
                .contains(Path.of("/var/lib/kube-proxy/kubeconfig.conf"));
        assertThat(config.node().detectLocal().mode())
                .isEqualTo(ProxyConfig.DetectLocal.Detection.CLUSTER_CIDR);
        assertThat(config.node().detectLocal().clusterCidrs())
                .containsExactly(Cidr.parse("10.244.0.0/16"), Cidr.parse("fd00:244::/48"));
        assertThat(config.health()).isEqualTo(ProxyConfig.defaults().health());
        assertThat(config.reconcile()).isEqualTo(ProxyConfig.defaults().reconcile());
        assertThat(config.nodePorts()).isEqualTo(ProxyConfig.defaults().nodePorts());
        assertThat(lines()).isEmpty();
    }

    @Test
    void whatIsUsedBecomesSettings() throws IOException {
        ProxyConfig config =
                load(
                        HEAD
                                + """
                                hostnameOverride: " Node-1 "
                                healthzBindAddress: 192.0.2.10
                                metricsBindAddress: 0.0.0.0:10249
                                nodePortAddresses: [192.0.2.0/24, primary]
                                detectLocalMode: InterfaceNamePrefix
                                detectLocal: {interfaceNamePrefix: cali, bridgeInterface: cni0}
                                portRange: 20000+999
                                iptables: {minSyncPeriod: 1m}
                                conntrack: {udpTimeout: 10s, udpStreamTimeout: 2m}
                                """);

        assertThat(config.node().name()).contains("node-1");
        assertThat(config.health().address()).contains(new InetSocketAddress("192.0.2.10", 10_256));
        assertThat(config.admin().address()).contains(new InetSocketAddress("0.0.0.0", 10_249));
        assertThat(config.nodePorts().addresses())
                .isEqualTo(NodePortAddresses.parse(List.of("192.0.2.0/24", "primary")));
        assertThat(config.node().detectLocal().mode())
                .isEqualTo(ProxyConfig.DetectLocal.Detection.INTERFACE_NAME_PREFIX);
        assertThat(config.node().detectLocal().interfaceNamePrefix()).contains("cali");
        assertThat(config.node().detectLocal().bridgeInterface()).contains("cni0");
        assertThat(config.listener().portRanges()).hasToString("20000-20999");
        assertThat(config.reconcile().minRuleInterval()).isEqualTo(Duration.ofSeconds(60));
        assertThat(config.udp().unrepliedTimeout()).isEqualTo(Duration.ofSeconds(10));
        assertThat(config.udp().repliedTimeout()).isEqualTo(Duration.ofMinutes(2));
        assertThat(lines()).isEmpty();
    }

    static Stream<KubeProxySetting> unused() {
        return KubeProxyTable.ALL.stream()
                .filter(setting -> !setting.isUsed() && !setting.field().isEmpty());
    }

    /** No field is passed over in silence. */
    @ParameterizedTest
    @MethodSource("unused")
    void whatSluiceHasNoUseForIsNamed(KubeProxySetting setting) throws IOException {
        String[] path = setting.field().split("\\.", -1);
        String yaml =
                path.length == 1 ? path[0] + ": odd\n" : path[0] + ":\n  " + path[1] + ": odd\n";

        load(HEAD + yaml);

        assertThat(lines())
                .singleElement()
                .asString()
                .contains("not used by Sluice: " + setting.field() + " = odd");
    }

    @Test
    void nodePortsOnLocalhostThatAreRefusedAreNamed() throws IOException {
        load(HEAD + "iptables: {localhostNodePorts: false}\n");

        assertThat(lines()).singleElement().asString().contains("iptables.localhostNodePorts");
    }

    @Test
    void unknownAndDuplicateFieldsAreWarnedOfAndLeftOut() throws IOException {
        ProxyConfig config =
                load(HEAD + "hostnameOverride: a\nhostnameOverride: b\nudpIdleTimeout: 250ms\n");

        assertThat(config.node().name()).contains("b");
        assertThat(lines()).hasSize(2);
        assertThat(lines().get(0)).contains("stands twice").contains("hostnameOverride");
        assertThat(lines().get(1)).contains("unknown fields").contains("udpIdleTimeout");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "detectLocalMode: pods | field detectLocalMode = 'pods': must be one of ClusterCIDR",
                "conntrack: {udpTimeout: soon} | must be a duration such as 1m30s or 500ms",
                "portRange: 1+x | must be a port range such as 20000-21000 or 20000+1000",
                "clusterCIDR: 10.0.0.0 | must be an address range such as 10.0.0.0/8",
                "nodePortAddresses: [[a]] | must be a list of texts",
                "nodePortAddresses: primary | must be a list of texts",
                "hostnameOverride: 1e3 | field hostnameOverride = '1000.0': must be text",
                "hostnameOverride: [a] | must be text",
                "iptables: {minSyncPeriod: 5} | must be text; a number needs quotes",
                "detectLocal: cni0 | field detectLocal = 'cni0': must be a section of fields",
                "iptables: &a {x: *a} | is not YAML",
                "healthzBindAddress: localhost | is not an IP address",
                "a: [ | is not YAML",
            })
    void whatIsWrongIsNamed(String line, String rule) {
        assertThatThrownBy(() -> load(HEAD + line + "\n"))
                .isInstanceOf(InvalidConfigException.class)
                .hasMessageContaining("config.conf")
                .hasMessageContaining(rule);
    }

    @Test
    void anotherVersionOrKindIsRefused() {
        assertThatThrownBy(() -> load("kind: KubeProxyConfiguration\n"))
                .hasMessageContaining("apiVersion is 'null', not kubeproxy.config.k8s.io/v1alpha1");
        assertThatThrownBy(
                        () -> load("apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: Other\n"))
                .hasMessageContaining("kind is 'Other', not KubeProxyConfiguration");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "detectLocalMode: ClusterCIDR\nclusterCIDR: ''",
                "portRange: 0-0",
                "iptables: {snatNodeInternalIP: null, localhostNodePorts: ~}"
            })
    void whatAsksForNothingChangesNothing(String lines) throws IOException {
        assertThat(load(HEAD + lines + "\n")).isEqualTo(ProxyConfig.defaults());
        assertThat(lines()).isEmpty();
    }

    @Test
    void structuresThatAreNotUsedAreNamed() throws IOException {
        load(HEAD + "logging: {vmodule: [{filePattern: proxy, verbosity: 2}]}\n");

        assertThat(lines()).singleElement().asString().contains("logging.vmodule = {filePattern");
    }

    @Test
    void rangesAreNotUsedWhereAnotherModeIsNamedAndVariablesOfTheShellStayText()
            throws IOException {
        ProxyConfig config = load(HEAD + "clusterCIDR: 10.0.0.0/8\ndetectLocalMode: NodeCIDR\n");

        assertThat(config.node().detectLocal().mode())
                .isEqualTo(ProxyConfig.DetectLocal.Detection.NODE_CIDR);
        assertThatThrownBy(() -> load(HEAD + "hostnameOverride: ${HOME}\n"))
                .hasMessageContaining("'${home}'");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "clientConnection:\n  kubeconfig: /k\nmode: iptables\n",
                "hostnameOverride: a\n",
                "{\"bindAddress\": \"::\", \"kind\": \"KubeProxyConfiguration\"}"
            })
    void aFileWithoutItsVersionIsTakenForWhatItIs(String text) {
        assertThatThrownBy(() -> load(text))
                .isInstanceOf(InvalidConfigException.class)
                .hasMessageContaining("apiVersion is 'null', not kubeproxy.config.k8s.io");
    }

    @ParameterizedTest
    @ValueSource(strings = {"sluice.transport {\nkind: nio\n}", "sluice.node.name: a"})
    void aFileOfSluiceIsTakenForWhatItIs(String text) throws IOException {
        assertThat(load(text)).isNotEqualTo(ProxyConfig.defaults());
    }

    @Test
    void flagsWinOverTheFileAndJsonIsYamlAsWell() throws IOException {
        Path file =
                Files.writeString(
                        folder.resolve("config.conf"),
                        "{\"apiVersion\": \"kubeproxy.config.k8s.io/v1alpha1\","
                                + " \"kind\": \"KubeProxyConfiguration\","
                                + " \"hostnameOverride\": \"a\"}");

        ProxyConfig config =
                ConfigLoader.load(
                        new ConfigSources(
                                List.of(new Flag("--hostname-override", "node.name", "b")),
                                Map.of(),
                                Optional.of(file)));

        assertThat(config.node().name()).contains("b");
    }

    @Test
    void whatIsInEffectCanBeWrittenAndReadAgain() throws IOException {
        Path file = Files.writeString(folder.resolve("config.conf"), KUBEADM);
        ConfigSources sources = new ConfigSources(List.of(), Map.of(), Optional.of(file));

        Path written =
                Files.writeString(folder.resolve("sluice.conf"), ConfigLoader.effective(sources));

        assertThat(ConfigLoader.load(new ConfigSources(List.of(), Map.of(), Optional.of(written))))
                .isEqualTo(ConfigLoader.load(sources));
    }

    private ProxyConfig load(String text) throws IOException {
        Path file = Files.writeString(folder.resolve("config.conf"), text);
        return ConfigLoader.load(new ConfigSources(List.of(), Map.of(), Optional.of(file)));
    }

    private List<String> lines() {
        return logged.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }
}
