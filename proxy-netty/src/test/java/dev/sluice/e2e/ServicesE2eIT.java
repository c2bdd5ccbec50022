package dev.sluice.e2e;

import static dev.sluice.e2e.ThreeNodes.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.e2e.ThreeNodes.Node;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The published end-to-end tests of Services, under their titles. */
@Timeout(180)
@DisplayName("[sig-network] Services")
class ServicesE2eIT {
    private static final String HTTP = "{name: http, port: 80, targetPort: 8080}";
    private static final InetSocketAddress IP4 = new InetSocketAddress("10.96.0.10", 80);

    private static final ServiceText WEB =
            ServiceText.named("web", "10.96.0.10", "fd00:96::10").withPort(HTTP);

    @RegisterExtension private final ThreeNodes nodes = new ThreeNodes();

    @Test
    @DisplayName("should serve a basic endpoint from pods [Conformance]")
    void basicEndpoint() throws Exception {
        nodes.apply(WEB);
        expectRefused(IP4);
        nodes.apply(nodes.on(WEB, 1));
        expectAnswers(IP4, "node-1");
        nodes.apply(nodes.on(WEB, 1, 2));
        expectAnswers(IP4, "node-1", "node-2");
        nodes.apply(nodes.on(WEB, 2));
        expectAnswers(IP4, "node-2");
        nodes.apply(WEB);
        expectRefused(IP4);
    }

    private void expectAnswers(InetSocketAddress service, String... names) {
        for (Node node : nodes.all()) {
            for (Pod client : new Pod[] {node.host(), node.client()}) {
                eventually(() -> assertThat(answers(client, service)).containsExactly(names));
            }
        }
    }

    private void expectRefused(InetSocketAddress service) {
        expectAnswers(service, Clients.REFUSED);
    }

    private static Set<String> answers(Pod client, InetSocketAddress service) throws IOException {
        return new TreeSet<>(client.ask(service, 8).keySet());
    }
}
