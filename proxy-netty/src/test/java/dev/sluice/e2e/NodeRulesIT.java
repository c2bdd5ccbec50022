package dev.sluice.e2e;

import static dev.sluice.e2e.Testbed.service;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.peer.Behaviour;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The program beside others that write rules, and on nodes where it can't serve. */
@Timeout(60)
class NodeRulesIT {
    private static final InetSocketAddress WEB4 = service("10.96.0.1");
    private static final InetSocketAddress WEB6 = service("fd00:96::1");

    /** The verify interval of 4 s, and what a loaded machine adds to it. */
    private static final Duration REPAIR_LIMIT = Duration.ofSeconds(6);

    private static final Duration START_LIMIT = Duration.ofSeconds(20);

    @RegisterExtension private final Testbed bed = new Testbed();

    @BeforeEach
    void oneEndpoint() throws Exception {
        bed.apply(ServiceManifest.named("web", "10.96.0.1", "fd00:96::1").withEndpoints(bed.a()));
    }

    @Test
    void rulesThatAnotherProgramFlushedComeBackAndConnectionsSurvive() throws Exception {
        bed.a().serve(() -> Behaviour.banner("a"));
        Sluice sluice = bed.start();
        Connection connection = bed.bridgedClient().connect(WEB4);
        assertThat(connection.receive(1)).isEqualTo("a");
        String rules = bed.ruleset();

        bed.resetRules();

        assertThat(bed.ruleset()).isNotEqualTo(rules);
        await().atMost(REPAIR_LIMIT).until(bed::ruleset, rules::equals);
        assertThat(connection.echo("still here")).isEqualTo("still here");
        for (Pod client : bed.clients()) {
            assertThat(client.connect(WEB4).receive(1)).isEqualTo("a");
            assertThat(client.connect(WEB6).receive(1)).isEqualTo("a");
        }
        assertThat(sluice.log()).contains("another program changed Sluice's rules");
    }

    @ParameterizedTest
    @ValueSource(strings = {"legacy", "nft"})
    void besideAKubeProxyItDoesNotStart(String flavour) throws Exception {
        bed.node()
                .namespace()
                .restore(
                        "iptables-" + flavour + "-restore",
                        """
                        *nat
                        :KUBE-SERVICES - [0:0]
                        -A PREROUTING -j KUBE-SERVICES
                        COMMIT
                        """);
        String before = bed.ruleset();

        Sluice sluice = bed.launch();

        assertThat(sluice.awaitExit(START_LIMIT)).isEqualTo(1);
        assertThat(sluice.log())
                .contains("kube-proxy serves this node")
                .contains("PREROUTING -j KUBE-SERVICES")
                .contains("redirect.beside-kube-proxy");
        assertThat(bed.ruleset()).isEqualTo(before);
        bed.resetRules();
    }

    @Test
    void withoutEpollItDoesNotServeRedirectedTraffic() throws Exception {
        Sluice sluice = bed.launch("--redirect", "iptables", "--set", "transport.kind=nio");

        assertThat(sluice.awaitExit(START_LIMIT)).isEqualTo(1);
        assertThat(sluice.log())
                .contains("redirect.mode iptables needs native epoll")
                .contains("the transport is nio");
    }
}
