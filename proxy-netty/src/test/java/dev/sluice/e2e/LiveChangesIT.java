package dev.sluice.e2e;

import static dev.sluice.e2e.Testbed.eventually;
import static dev.sluice.e2e.Testbed.service;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.peer.Behaviour;
import dev.sluice.peer.Ending;
import dev.sluice.peer.Received;
import java.net.InetSocketAddress;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Changes in the folder of manifests while clients come and go. */
@Timeout(60)
class LiveChangesIT {
    private static final InetSocketAddress WEB4 = service("10.96.0.1");
    private static final InetSocketAddress WEB6 = service("fd00:96::1");
    private static final ServiceManifest WEB =
            ServiceManifest.named("web", "10.96.0.1", "fd00:96::1");
    private static final ServiceManifest OTHER = ServiceManifest.named("other", "10.96.0.2");

    @RegisterExtension private final Testbed bed = new Testbed();

    @Test
    void aServiceIsRefusedAsLongAsItHasNoEndpoint() throws Exception {
        bed.apply(WEB.withEndpoints(bed.a()));
        bed.start();
        int port = bed.listenerPort("10.96.0.1");
        everyClientIsTold("a");

        bed.apply(WEB);
        eventually(() -> everyClientIsTold(Clients.REFUSED));
        assertThat(bed.bridgedClient().ask(WEB4, 20)).isEqualTo(Map.of(Clients.REFUSED, 20));

        bed.apply(WEB.withEndpoints(bed.c()));
        eventually(() -> everyClientIsTold("c"));
        assertThat(bed.bridgedClient().ask(WEB4, 20)).isEqualTo(Map.of("c", 20));
        assertThat(bed.listenerPort("10.96.0.1")).isEqualTo(port);
    }

    @Test
    void aServiceThatStartsWithoutEndpointsIsRefusedFromTheBeginning() throws Exception {
        bed.apply(WEB);
        bed.start();
        everyClientIsTold(Clients.REFUSED);

        bed.apply(WEB.withEndpoints(bed.b()));

        eventually(() -> everyClientIsTold("b"));
    }

    @Test
    void endpointsComeAndGoWithoutARuleBeingWritten() throws Exception {
        bed.apply(WEB.withEndpoints(bed.a()));
        bed.start();
        String rules = bed.ruleset();

        bed.apply(WEB.withEndpoints(bed.a(), bed.b(), bed.c()));
        eventually(() -> assertThat(bed.bridgedClient().ask(WEB4, 3)).hasSize(3));
        assertThat(bed.bridgedClient().ask(WEB4, 30)).isEqualTo(Map.of("a", 10, "b", 10, "c", 10));

        bed.apply(WEB.withEndpoints(bed.b()));
        eventually(() -> assertThat(bed.bridgedClient().ask(WEB4, 3)).containsOnlyKeys("b"));
        assertThat(bed.bridgedClient().ask(WEB4, 30)).isEqualTo(Map.of("b", 30));
        assertThat(bed.ruleset()).isEqualTo(rules);
    }

    @Test
    void aConnectionGoesOnWhenItsEndpointLeaves() throws Exception {
        bed.a().serve(() -> Behaviour.banner("a"));
        bed.apply(WEB.withEndpoints(bed.a()));
        bed.start();
        Connection connection = bed.routedClient().connect(WEB4);
        assertThat(connection.receive(1)).isEqualTo("a");

        bed.apply(WEB.withEndpoints(bed.b()));
        eventually(() -> assertThat(bed.routedClient().ask(WEB4)).isEqualTo("b"));
        assertThat(connection.echo("one")).isEqualTo("one");

        bed.apply(WEB);
        eventually(() -> assertThat(bed.routedClient().ask(WEB4)).isEqualTo(Clients.REFUSED));
        assertThat(connection.echo("two")).isEqualTo("two");

        connection.finish();
        assertThat(connection.receiveToEnd()).isEqualTo(Received.intact(0, Ending.EOF));
    }

    @Test
    void servicesComeAndGo() throws Exception {
        bed.a().serve(() -> Behaviour.banner("a"));
        bed.apply(WEB.withEndpoints(bed.a()));
        bed.start();
        Connection connection = bed.bridgedClient().connect(WEB4);
        assertThat(connection.receive(1)).isEqualTo("a");

        bed.apply(OTHER.withEndpoints(bed.b()));
        awaitRule("10.96.0.2/32");
        assertThat(bed.routedClient().ask(service("10.96.0.2"))).isEqualTo("b");

        bed.remove(WEB);
        eventually(
                () ->
                        assertThat(bed.ruleset())
                                .doesNotContain("10.96.0.1/32", "fd00:96::1/128")
                                .contains("10.96.0.2/32"));
        assertThat(bed.routedClient().ask(service("10.96.0.2"))).isEqualTo("b");
        assertThat(connection.echo("still")).isEqualTo("still");
    }

    @Test
    void aNewClusterIpAndANewPortReplaceTheOldOnes() throws Exception {
        bed.apply(OTHER.withEndpoints(bed.a()));
        bed.start();
        int port = bed.listenerPort("10.96.0.2");
        assertThat(bed.bridgedClient().ask(service("10.96.0.2"))).isEqualTo("a");

        bed.apply(OTHER.withClusterIps("10.96.0.3").withEndpoints(bed.a()));
        awaitRule("10.96.0.3/32");
        assertThat(bed.bridgedClient().ask(service("10.96.0.3"))).isEqualTo("a");
        assertThat(bed.ruleset()).doesNotContain("10.96.0.2/32");

        bed.apply(OTHER.withClusterIps("10.96.0.3").withPort(8000).withEndpoints(bed.a()));
        InetSocketAddress moved = new InetSocketAddress("10.96.0.3", 8000);
        awaitRule("--dport 8000 ");
        assertThat(bed.bridgedClient().ask(moved)).isEqualTo("a");
        assertThat(bed.ruleset()).doesNotContain("--dport 80 ");
        assertThat(bed.listenerPort("10.96.0.3")).isEqualTo(port);
    }

    @Test
    void aBrokenDocumentLeavesTheOthersServed() throws Exception {
        bed.apply(WEB.withEndpoints(bed.a()));
        Sluice sluice = bed.start();

        bed.write("broken.yaml", "kind: Service\napiVersion: v1\nspec: [\n");
        bed.write("odd.yaml", OTHER.withClusterIps("10.96.0.300").withEndpoints(bed.b()).yaml());
        sluice.awaitLog("broken.yaml");
        sluice.awaitLog("10.96.0.300");
        everyClientIsTold("a");

        bed.apply(WEB.withEndpoints(bed.c()));
        eventually(() -> everyClientIsTold("c"));
        bed.write("odd.yaml", OTHER.withEndpoints(bed.b()).yaml());
        awaitRule("10.96.0.2/32");
        assertThat(bed.routedClient().ask(service("10.96.0.2"))).isEqualTo("b");
    }

    /** A client that came before would be forwarded, and its repeated SYN as well. */
    private void awaitRule(String words) {
        eventually(() -> assertThat(bed.ruleset()).contains(words));
    }

    private void everyClientIsTold(String answer) throws Exception {
        for (Pod client : bed.clients()) {
            assertThat(client.ask(WEB4)).as(client + " to IPv4").isEqualTo(answer);
            assertThat(client.ask(WEB6)).as(client + " to IPv6").isEqualTo(answer);
        }
    }
}
