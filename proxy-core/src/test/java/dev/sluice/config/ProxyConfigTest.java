package dev.sluice.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigParseOptions;
import dev.sluice.model.IpAddress;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProxyConfigTest {
    @Test
    void defaultsAreThoseOfTheDesign() {
        assertThat(ProxyConfig.defaults())
                .isEqualTo(
                        new ProxyConfig(
                                Optional.empty(),
                                new ProxyConfig.Kubernetes(
                                        Optional.empty(),
                                        Optional.empty(),
                                        Optional.empty(),
                                        Optional.empty(),
                                        false,
                                        true),
                                new ProxyConfig.Node(
                                        Optional.empty(),
                                        new ProxyConfig.DetectLocal(
                                                ProxyConfig.DetectLocal.Detection.NONE,
                                                List.of(),
                                                Optional.empty(),
                                                Optional.empty())),
                                new ProxyConfig.Services(Optional.empty(), List.of()),
                                new ProxyConfig.NodePorts(NodePortAddresses.parse(List.of("all"))),
                                new ProxyConfig.Udp(
                                        Duration.ofSeconds(30),
                                        Duration.ofSeconds(180),
                                        OptionalInt.empty()),
                                new ProxyConfig.Health(
                                        Optional.of(new InetSocketAddress("0.0.0.0", 10_256))),
                                new ProxyConfig.Transport(ProxyConfig.Transport.Kind.AUTO, 0),
                                new ProxyConfig.Redirect(
                                        ProxyConfig.Redirect.Mode.IPTABLES,
                                        ProxyConfig.Redirect.Flavour.AUTO,
                                        Optional.empty(),
                                        Optional.empty(),
                                        Duration.ofSeconds(5),
                                        false),
                                new ProxyConfig.Listener(
                                        IpAddress.parse("127.0.0.1"),
                                        PortRanges.parse("10000-29999,61000-65535")),
                                new ProxyConfig.Dial(
                                        List.of(
                                                Duration.ofMillis(250),
                                                Duration.ofMillis(500),
                                                Duration.ofSeconds(1),
                                                Duration.ofSeconds(2)),
                                        Duration.ofSeconds(4),
                                        Duration.ofMillis(100),
                                        false),
                                new ProxyConfig.Connections(
                                        OptionalInt.empty(),
                                        Duration.ofMinutes(10),
                                        Duration.ofSeconds(60),
                                        Duration.ofSeconds(5),
                                        new ProxyConfig.Keepalive(
                                                Duration.ofSeconds(30), Duration.ofSeconds(10), 3)),
                                new ProxyConfig.Affinity(262_144),
                                new ProxyConfig.Reconcile(
                                        Duration.ofMillis(100),
                                        Duration.ofSeconds(1),
                                        Duration.ofSeconds(1),
                                        Duration.ofSeconds(4)),
                                new ProxyConfig.State(
                                        Optional.of(Path.of("/run/sluice")),
                                        Duration.ofSeconds(10)),
                                new ProxyConfig.Shutdown(Duration.ofSeconds(25), false),
                                new ProxyConfig.Admin(
                                        Optional.of(
                                                new InetSocketAddress(
                                                        InetAddress.getLoopbackAddress(), 10_249)),
                                        Set.of(),
                                        new ProxyConfig.Metrics(1000))));
    }

    @Test
    void everyKeyChangesTheRecords() {
        ProxyConfig config =
                parse(
                        """
                        manifests = /etc/services
                        kubernetes {
                          kubeconfig = /etc/kubeconfig, api-server = "https://192.0.2.1:6443"
                          ca-file = /etc/ca.crt, token-file = /etc/token, allow-exec = true
                          events = false
                        }
                        node {
                          name = Node-1
                          detect-local {
                            mode = cluster-cidr, cluster-cidrs = "10.244.0.0/16, fd00:244::/48"
                            bridge-interface = cni0, interface-name-prefix = cali
                          }
                        }
                        services { proxy-name = sluice, external-ips = ["198.51.100.7/24"] }
                        node-ports.addresses = "primary, localhost, 192.0.2.0/24"
                        udp { unreplied-timeout = 5s, replied-timeout = 60s, max-sessions = 7 }
                        health.address = none
                        transport { kind = nio, event-loops = 2 }
                        redirect {
                          mode = none, flavour = nft, address4 = 10.0.0.5, address6 = "fd00::5"
                          lock-wait = 7s, beside-kube-proxy = true
                        }
                        listener { address = "::1", port-range = [20000-20999, "30100"] }
                        dial {
                          try-timeouts = "100ms, 0.2s", total-timeout = 1s, retry-pause = 50ms
                          allow-loopback = true
                        }
                        connections {
                          max = 1000, half-closed-timeout = 1m, unacked-timeout = 90s
                          reap-interval = 30s
                          keepalive { idle = 1m, interval = 5s, probes = 9 }
                        }
                        affinity.max-clients = 10
                        reconcile {
                          min-interval = 20ms, min-rule-interval = 200ms, retry-interval = 2s
                          verify-interval = 1m
                        }
                        state { directory = /tmp/state, takeover-wait = 0s }
                        shutdown { drain = 0s, keep-rules = true }
                        admin {
                          address = "[::1]:0", allowed-hosts = "Node-1.example"
                          metrics.max-service-ports = 5
                        }
                        """);

        assertThat(config.toString())
                .isEqualTo(
                        "ProxyConfig[manifests=Optional[/etc/services],"
                                + " kubernetes=Kubernetes[kubeconfig=Optional[/etc/kubeconfig],"
                                + " apiServer=Optional[https://192.0.2.1:6443],"
                                + " caFile=Optional[/etc/ca.crt],"
                                + " tokenFile=Optional[/etc/token], allowExec=true, events=false],"
                                + " node=Node[name=Optional[node-1],"
                                + " detectLocal=DetectLocal[mode=CLUSTER_CIDR,"
                                + " clusterCidrs=[10.244.0.0/16, fd00:244::/48],"
                                + " bridgeInterface=Optional[cni0],"
                                + " interfaceNamePrefix=Optional[cali]]],"
                                + " services=Services[proxyName=Optional[sluice],"
                                + " externalIps=[198.51.100.0/24]],"
                                + " nodePorts=NodePorts[addresses=NodePortAddresses["
                                + "keywords=[PRIMARY, LOCALHOST], ranges=[192.0.2.0/24]]],"
                                + " udp=Udp[unrepliedTimeout=PT5S, repliedTimeout=PT1M,"
                                + " maxSessions=OptionalInt[7]],"
                                + " health=Health[address=Optional.empty],"
                                + " transport=Transport[kind=NIO, eventLoops=2],"
                                + " redirect=Redirect[mode=NONE, flavour=NFT,"
                                + " address4=Optional[10.0.0.5], address6=Optional[fd00::5],"
                                + " lockWait=PT7S, besideKubeProxy=true],"
                                + " listener=Listener[address=::1,"
                                + " portRanges=20000-20999,30100],"
                                + " dial=Dial[tryTimeouts=[PT0.1S, PT0.2S], totalTimeout=PT1S,"
                                + " retryPause=PT0.05S, allowLoopback=true],"
                                + " connections=Connections[max=OptionalInt[1000],"
                                + " halfClosedTimeout=PT1M, unackedTimeout=PT1M30S,"
                                + " reapInterval=PT30S, keepalive=Keepalive[idle=PT1M,"
                                + " interval=PT5S, probes=9]], affinity=Affinity[maxClients=10],"
                                + " reconcile=Reconcile[minInterval=PT0.02S,"
                                + " minRuleInterval=PT0.2S, retryInterval=PT2S,"
                                + " verifyInterval=PT1M],"
                                + " state=State[directory=Optional[/tmp/state],"
                                + " takeoverWait=PT0S],"
                                + " shutdown=Shutdown[drain=PT0S, keepRules=true],"
                                + " admin=Admin[address=Optional[/[0:0:0:0:0:0:0:1]:0],"
                                + " allowedHosts=[node-1.example],"
                                + " metrics=Metrics[maxServicePorts=5]]]");
    }

    @Test
    void nothingIsKeptWithoutRedirect() {
        assertThat(parse("redirect.mode = none").state().directory()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "dial.total-timeout = 4 | must be a duration with its unit from 1ms to 5m",
                "dial.total-timeout = \"4\" | must be a duration with its unit",
                "dial.total-timeout = soon | must be a duration with its unit",
                "dial.total-timeout = 4 parsecs | must be a duration with its unit",
                "dial.total-timeout = 999999999999999999d | must be a duration with its unit",
                "dial.total-timeout = [4s] | must be a single value, not list",
                "dial.total-timeout = null | must be a single value, not null",
                "dial.total-timeout = true | must be a duration with its unit",
                "dial.total-timeout { is = 4s } | must be a value, not a section of keys",
                "dial.try-timeouts = [] | must have 1 to 8 entries",
                "dial.try-timeouts = \"\" | must have 1 to 8 entries",
                "dial.try-timeouts = [1s,1s,1s,1s,1s,1s,1s,1s,1s] | must have 1 to 8 entries",
                "dial.try-timeouts = [1s, [1s]] | must be a single value, not list",
                "dial.try-timeouts = [5s] | must not be longer than sluice.dial.total-timeout",
                "dial.try-timeouts = \"1s,\" | must be a duration with its unit",
                "dial.allow-loopback = true | may be true only when sluice.redirect.mode is none",
                "dial.allow-loopback = yes | must be true or false",
                "dial.allow-loopback = TRUE | must be true or false",
                "dial = 5 | must be a section of keys, not a value",
                "dial.total-timout = 4s | there is no such key",
                "dials.total-timeout = 4s | there is no such key",
                "transport.kind = io_uring | must be one of auto, epoll, nio",
                "transport.kind = EPOLL | must be one of auto, epoll, nio",
                "transport.event-loops = 1.5 | must be a whole number from 0 to 1024",
                "transport.event-loops = 99999999999999999999 | must be a whole number",
                "redirect.address4 = 10.010.0.1 | leading zeros are ambiguous",
                "redirect.address4 = \"fd00::1\" | must be an address of this node of family IPV4",
                "redirect.address4 = 127.0.0.1 | that pods can reach",
                "redirect.address4 = 224.0.0.1 | that pods can reach",
                "redirect.address4 = 255.255.255.255 | that pods can reach",
                "redirect.address6 = \"fe80::1\" | that pods can reach",
                "redirect.address6 = \"::\" | that pods can reach",
                "redirect.lock-wait = 1500ms | must be a whole number of seconds",
                "connections.keepalive.idle = 1100ms | must be a whole number of seconds",
                "listener.address = localhost | is not an IP address",
                "listener.address = \"\" | must be an address that a listener can be bound to",
                "listener.address = 239.1.1.1 | must be an address that a listener can be bound to",
                "listener.port-range = \"\" | must have at least one port range",
                "listener.port-range = 1000-2000 | must be within 1024-65535",
                "listener.port-range = 20000-66000 | is not within 1-65535 in order",
                "listener.port-range = 20000-10000 | is not within 1-65535 in order",
                "listener.port-range = \"20000-21000,20500\" | 20000-21000 and 20500 overlap",
                "listener.port-range = \"20000-21000,\" | '' is not a port range such as",
                "listener.port-range = some | 'some' is not a port range such as 10000-29999",
                "admin.address = \"localhost:10249\" | is not an IP address",
                "admin.address = 127.0.0.1 | must be none, or an address",
                "admin.address = \"::1:10249\" | must be none, or an address",
                "admin.address = \"[127.0.0.1]:1\" | must be none, or an address",
                "admin.address = \"127.0.0.1:65536\" | a port from 0 to 65535",
                "admin.address = \"224.0.0.1:80\" | that a listener can be bound to",
                "admin.allowed-hosts = [\"a:80\"] | must be host names without a port",
                "admin.allowed-hosts = [\"\"] | must be host names without a port",
                "manifests = \"a\\u0000b\" | must be a path",
                "node.name = -a | must be a DNS name of at most 253 characters",
                "node.detect-local.mode = cidr | must be one of none, cluster-cidr, node-cidr,",
                "node.detect-local.cluster-cidrs = 10.244.0.0 | must be an address range such as",
                "node.detect-local.cluster-cidrs = \"10.1.0.0/16,10.2.0.0/16\" | one range of each",
                "node.detect-local.cluster-cidrs = 10.1.0.0/33 | is not in 0..32",
                "node.detect-local.bridge-interface = \"a b\" | must be the name of an interface",
                "services.proxy-name = \"a b\" | must be a label value",
                "services.external-ips = 10.010.0.0/16 | leading zeros are ambiguous",
                "services.external-ips = 10.0.0.0/08 | its prefix length is no number",
                "node-ports.addresses = secondary | is none of primary, localhost, all and",
                "health.address = 10256 | must be none, or an address",
            })
    void namesKeyValueRuleAndPlaceOfWhatItRefuses(String line, String rule) {
        String key = line.substring(0, line.indexOf(' '));

        assertThatThrownBy(() -> parse("\n" + line))
                .isInstanceOf(InvalidConfigException.class)
                .hasMessageContaining(key.equals("dials.total-timeout") ? "dials" : key)
                .hasMessageContaining(rule)
                .hasMessageEndingWith("(settings: 3)")
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("\n"));
    }

    @Test
    void loopbackEndpointsMayBeDialledWithoutRedirect() {
        assertThat(parse("redirect.mode = none, dial.allow-loopback = true").dial().allowLoopback())
                .isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "cluster-cidr, cluster-cidrs",
        "bridge-interface, bridge-interface",
        "interface-name-prefix, interface-name-prefix"
    })
    void aWayToDetectLocalClientsNeedsWhatItDetectsThemBy(String mode, String key) {
        assertThatThrownBy(() -> parse("node.detect-local.mode = " + mode))
                .isInstanceOf(InvalidConfigException.class)
                .hasMessageContaining("sluice.node.detect-local." + key)
                .hasMessageContaining("must be set where mode is " + mode);
    }

    @Test
    void otherTopLevelKeysBelongToTheEmbeddingApplication() {
        assertThat(ProxyConfig.from(ConfigFactory.parseString("app.name = x")))
                .isEqualTo(ProxyConfig.defaults());
    }

    @ParameterizedTest
    @ValueSource(strings = {"sluice = 1", "sluice = null", "sluice = []"})
    void theRootMustBeASection(String text) {
        assertThatThrownBy(() -> ProxyConfig.from(ConfigFactory.parseString(text)))
                .isInstanceOf(InvalidConfigException.class)
                .hasMessageContaining("sluice = ")
                .hasMessageContaining("must be a section of keys");
    }

    private static ProxyConfig parse(String body) {
        return ProxyConfig.from(
                ConfigFactory.parseString(
                        "sluice {\n" + body + "\n}",
                        ConfigParseOptions.defaults().setOriginDescription("settings")));
    }
}
