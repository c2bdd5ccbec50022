package dev.sluice.netty.contract;

import static dev.sluice.peer.Received.intact;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.peer.Behaviour;
import dev.sluice.peer.Content;
import dev.sluice.peer.Ending;
import dev.sluice.peer.Peer;
import dev.sluice.peer.ScriptedBackend;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Without a usable endpoint a connect is refused, never accepted and then closed. */
abstract class NoEndpointContract extends SpliceContract {
    NoEndpointContract(ProxyUnderTest.Factory proxies) {
        super(proxies);
    }

    private static void assertRefused(InetSocketAddress service) {
        assertThatThrownBy(() -> Peer.connect(service).close())
                .isInstanceOf(ConnectException.class)
                .hasMessageContaining("refused");
    }

    @Test
    void aConnectIsRefused() throws Exception {
        ProxyUnderTest proxy = proxy();
        InetSocketAddress service = serve(proxy);
        inParallel(60, number -> assertRefused(service));
    }

    @Test
    void theFirstEndpointIsServedAtOnceAndTheLastOneRefusedAtOnce() throws Exception {
        ProxyUnderTest proxy = proxy();
        InetSocketAddress endpoint = backend(Behaviour.banner("hello")).address();
        InetSocketAddress service = serve(proxy, endpoint);
        for (int cycle = 0; cycle < 10; cycle++) {
            assertThat(connect(service).receiveText(5)).isEqualTo("hello");
            proxy.setEndpoints(service, List.of());
            assertRefused(service);
            proxy.setEndpoints(service, List.of(endpoint));
        }
        assertThat(connect(service).receiveText(5)).isEqualTo("hello");
    }

    @Test
    void clientsThatTryAgainAreServedOnceAnEndpointComes() throws Exception {
        ProxyUnderTest proxy = proxy();
        InetSocketAddress endpoint = backend(Behaviour.banner("hello")).address();
        InetSocketAddress service = serve(proxy, endpoint);
        proxy.setEndpoints(service, List.of());
        Future<?> clients =
                beside(() -> allAtOnce(50, number -> assertThat(hello(service)).isNotNull()));
        proxy.setEndpoints(service, List.of(endpoint));
        result(clients);
    }

    private static String hello(InetSocketAddress service) throws IOException {
        long end = System.nanoTime() + SOON.toNanos();
        while (true) {
            try (Peer client = Peer.connect(service)) {
                return client.receiveText(5);
            } catch (ConnectException refused) {
                if (System.nanoTime() > end) {
                    throw refused;
                }
            }
        }
    }

    @Test
    void connectionsOutliveTheLastEndpoint() throws Exception {
        ProxyUnderTest proxy = proxy();
        ScriptedBackend backend = scriptedBackend();
        InetSocketAddress service = serve(proxy, backend.address());
        List<Flow> flows = open(20, service, backend);
        proxy.setEndpoints(service, List.of());
        assertRefused(service);
        Content content = Content.of(1);
        for (Flow flow : flows) {
            flow.client().send(content, 16 * KIB);
            assertThat(flow.server().receive(content, 0, 16 * KIB))
                    .isEqualTo(intact(16 * KIB, Ending.OPEN));
        }
    }
}
