package dev.sluice.e2e;

import static dev.sluice.e2e.Testbed.eventually;
import static dev.sluice.e2e.Testbed.service;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.peer.Behaviour;
import dev.sluice.peer.Ending;
import dev.sluice.peer.Received;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Starts, ends and successions of the program. */
@Timeout(60)
class LifecycleIT {
    private static final InetSocketAddress WEB4 = service("10.96.0.1");
    private static final ServiceManifest WEB =
            ServiceManifest.named("web", "10.96.0.1", "fd00:96::1");
    private static final Duration AT_ONCE = Duration.ofSeconds(2);

    @RegisterExtension private final Testbed bed = new Testbed();

    private String rulesBefore = "";

    @BeforeEach
    void oneEndpoint() throws Exception {
        rulesBefore = bed.ruleset();
        bed.apply(WEB.withEndpoints(bed.a()));
    }

    @Test
    void aRestartTakesTheSamePortsAgain() throws Exception {
        bed.apply(ServiceManifest.named("other", "10.96.0.2").withEndpoints(bed.b()));
        Sluice first = bed.start();
        assertThat(bed.listenerPort("10.96.0.1")).isNotEqualTo(bed.listenerPort("10.96.0.2"));
        List<String> rules = rulesToListeners();

        first.terminate();
        assertThat(first.awaitExit(Duration.ofSeconds(10))).isZero();
        bed.start();

        // They name the ports.
        assertThat(rulesToListeners()).isEqualTo(rules);
        assertThat(bed.bridgedClient().ask(WEB4)).isEqualTo("a");
        assertThat(bed.bridgedClient().ask(service("10.96.0.2"))).isEqualTo("b");
    }

    /** Without those to ports that refuse: no rule is left that tells which they were. */
    private List<String> rulesToListeners() throws Exception {
        return bed.ruleset().lines().filter(line -> !line.contains(" SLUICE-REFUSE=")).toList();
    }

    @Test
    void afterSigtermOpenConnectionsMayEndByThemselves() throws Exception {
        bed.a().serve(() -> Behaviour.banner("a"));
        Sluice sluice = bed.start();
        Connection connection = bed.routedClient().connect(WEB4);
        assertThat(connection.receive(1)).isEqualTo("a");

        sluice.terminate();
        eventually(() -> assertThat(bed.ruleset()).isEqualTo(rulesBefore));
        assertThat(connection.echo("still here")).isEqualTo("still here");
        assertThat(sluice.isAlive()).isTrue();

        connection.finish();
        assertThat(connection.receiveToEnd()).isEqualTo(Received.intact(0, Ending.EOF));
        assertThat(sluice.awaitExit(AT_ONCE)).as(sluice.log()).isZero();
    }

    @Test
    void aConnectionThatOutlivesTheDrainIsReset() throws Exception {
        bed.a().serve(() -> Behaviour.banner("a"));
        Sluice sluice = bed.start("--set", "shutdown.drain=500ms");
        Connection connection = bed.routedClient().connect(WEB4);
        assertThat(connection.receive(1)).isEqualTo("a");

        sluice.terminate();

        assertThat(connection.receiveToEnd()).isEqualTo(Received.intact(0, Ending.RESET));
        assertThat(sluice.awaitExit(AT_ONCE)).as(sluice.log()).isZero();
        assertThat(bed.ruleset()).isEqualTo(rulesBefore);
    }

    @Test
    void aSecondSigtermEndsAtOnce() throws Exception {
        bed.a().serve(() -> Behaviour.banner("a"));
        Sluice sluice = bed.start();
        Connection connection = bed.routedClient().connect(WEB4);
        assertThat(connection.receive(1)).isEqualTo("a");
        sluice.terminate();
        eventually(() -> assertThat(bed.ruleset()).isEqualTo(rulesBefore));

        sluice.terminate();

        assertThat(sluice.awaitExit(AT_ONCE)).as(sluice.log()).isEqualTo(128 + 15);
    }

    @Test
    void aKilledProcessIsSucceededByTheNextOne() throws Exception {
        bed.apply(ServiceManifest.named("gone", "10.96.0.9").withEndpoints(bed.b()));
        Sluice killed = bed.start();
        int port = bed.listenerPort("10.96.0.1");
        bed.awaitRemembered(port);
        killed.kill();
        assertThat(bed.ruleset()).contains("10.96.0.1/32", "10.96.0.9/32");
        assertThat(bed.bridgedClient().ask(WEB4)).isEqualTo(Clients.REFUSED);
        bed.remove(ServiceManifest.named("gone", "10.96.0.9"));

        bed.start();

        assertThat(bed.listenerPort("10.96.0.1")).isEqualTo(port);
        assertThat(bed.ruleset()).contains("10.96.0.1/32").doesNotContain("10.96.0.9/32");
        for (Pod client : bed.clients()) {
            assertThat(client.ask(WEB4)).as(client.toString()).isEqualTo("a");
        }
    }

    @Test
    void withRulesKeptTheNextProcessFindsThemInPlace() throws Exception {
        Sluice first = bed.start("--set", "shutdown.keep-rules=true");
        String rules = bed.ruleset();

        first.terminate();
        assertThat(first.awaitExit(Duration.ofSeconds(10))).isZero();
        assertThat(bed.ruleset()).isEqualTo(rules);
        assertThat(bed.bridgedClient().ask(WEB4)).isEqualTo(Clients.REFUSED);
        bed.start();

        assertThat(bed.ruleset()).isEqualTo(rules);
        assertThat(bed.bridgedClient().ask(WEB4)).isEqualTo("a");
    }

    @Test
    void withRulesKeptNewClientsAreServedUntilTheDrainEnds() throws Exception {
        bed.a().serve(() -> Behaviour.banner("a"));
        Sluice sluice = bed.start("--set", "shutdown.keep-rules=true");
        Connection connection = bed.routedClient().connect(WEB4);
        assertThat(connection.receive(1)).isEqualTo("a");

        sluice.terminate();
        eventually(() -> assertThat(readyz()).contains("the proxy drains").endsWith("503"));
        for (Pod client : bed.clients()) {
            assertThat(client.ask(WEB4)).as(client.toString()).isEqualTo("a");
        }
        assertThat(connection.echo("still here")).isEqualTo("still here");

        connection.finish();
        assertThat(connection.receiveToEnd()).isEqualTo(Received.intact(0, Ending.EOF));
        assertThat(sluice.awaitExit(AT_ONCE)).as(sluice.log()).isZero();
        assertThat(bed.bridgedClient().ask(WEB4)).isEqualTo(Clients.REFUSED);
        bed.cleanup().awaitExit(Duration.ofSeconds(20));
    }

    @Test
    void withRulesKeptACopyThatWaitsTakesOverAtOnceAndConnectionsGoOn() throws Exception {
        bed.a().serve(() -> Behaviour.banner("a"));
        Sluice first = bed.start("--set", "shutdown.keep-rules=true");
        Connection connection = bed.routedClient().connect(WEB4);
        assertThat(connection.receive(1)).isEqualTo("a");
        Sluice second = bed.launch();
        second.awaitLog("is in use by pid " + first.pid() + ",");

        first.terminate();
        second.awaitServing();

        assertThat(first.isAlive()).isTrue();
        assertThat(connection.echo("still here")).isEqualTo("still here");
        for (Pod client : bed.clients()) {
            assertThat(client.ask(WEB4)).as(client.toString()).isEqualTo("a");
        }
        connection.finish();
        assertThat(first.awaitExit(AT_ONCE)).as(first.log()).isZero();
        assertThat(second.isAlive()).isTrue();
    }

    @Test
    void aSecondCopyGivesUpNamingTheFirst() throws Exception {
        Sluice first = bed.start();
        String rules = bed.ruleset();

        Sluice second = bed.launch("--set", "state.takeover-wait=500ms");

        assertThat(second.awaitExit(Duration.ofSeconds(20))).isEqualTo(1);
        assertThat(second.log()).contains("in use by pid " + first.pid() + ",");
        assertThat(bed.ruleset()).isEqualTo(rules);
        assertThat(bed.bridgedClient().ask(WEB4)).isEqualTo("a");
    }

    @Test
    void aSecondCopyTakesOverFromAFirstThatEnds() throws Exception {
        Sluice first = bed.start();
        int port = bed.listenerPort("10.96.0.1");
        Sluice second = bed.launch();
        second.awaitLog("is in use by pid " + first.pid() + ",");

        first.terminate();
        second.awaitServing();

        assertThat(first.awaitExit(AT_ONCE)).isZero();
        assertThat(bed.listenerPort("10.96.0.1")).isEqualTo(port);
        assertThat(bed.bridgedClient().ask(WEB4)).isEqualTo("a");
    }

    @Test
    void aSuccessorGetsTheAdminAddressOfACopyThatStillDrains() throws Exception {
        bed.a().serve(() -> Behaviour.banner("a"));
        Sluice first = bed.start();
        assertThat(readyz()).isEqualTo("ok\n200");
        Connection connection = bed.routedClient().connect(WEB4);
        assertThat(connection.receive(1)).isEqualTo("a");
        first.terminate();
        eventually(() -> assertThat(readyz()).contains("the proxy drains").endsWith("503"));

        Sluice second = bed.start();

        assertThat(readyz()).isEqualTo("ok\n200");
        assertThat(connection.echo("still here")).isEqualTo("still here");
        assertThat(first.isAlive()).isTrue();
        assertThat(second.isAlive()).isTrue();
        connection.finish();
        assertThat(first.awaitExit(AT_ONCE)).as(first.log()).isZero();
    }

    /** What a kubelet on the node would see, and the status code. */
    private String readyz() throws Exception {
        return bed.node()
                .namespace()
                .run("curl", "-s", "-w", "%{http_code}", "http://127.0.0.1:10249/readyz");
    }

    @Test
    void cleanupRemovesWhatAKilledProcessLeft() throws Exception {
        bed.apply(ServiceManifest.named("empty", "10.96.0.2"));
        bed.start().kill();
        assertThat(bed.ruleset()).isNotEqualTo(rulesBefore);

        Sluice cleanup = bed.cleanup();

        assertThat(cleanup.awaitExit(Duration.ofSeconds(20))).as(cleanup.log()).isZero();
        assertThat(bed.ruleset()).isEqualTo(rulesBefore);
    }
}
