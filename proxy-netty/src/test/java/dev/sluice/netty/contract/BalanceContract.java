package dev.sluice.netty.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.peer.Behaviour;
import dev.sluice.peer.ClosedPort;
import dev.sluice.peer.Peer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** Round robin is exact, whatever fails and whatever changes. */
abstract class BalanceContract extends SpliceContract {
    BalanceContract(ProxyUnderTest.Factory proxies) {
        super(proxies);
    }

    private InetSocketAddress named(String name) throws IOException {
        return backend(Behaviour.id(name)).address();
    }

    private static String nameOfTheNext(InetSocketAddress service) throws IOException {
        try (Peer client = Peer.connect(service)) {
            return client.receiveText(1);
        }
    }

    private Map<String, Integer> connect300(InetSocketAddress service) throws Exception {
        Map<String, Integer> counts = new ConcurrentHashMap<>();
        inParallel(300, number -> counts.merge(nameOfTheNext(service), 1, Integer::sum));
        return counts;
    }

    @Test
    void threeEndpointsGetAThirdEach() throws Exception {
        ProxyUnderTest proxy = proxy();
        InetSocketAddress service = serve(proxy, named("a"), named("b"), named("c"));
        assertThat(connect300(service)).isEqualTo(Map.of("a", 100, "b", 100, "c", 100));
    }

    @Test
    void theShareOfAnEndpointThatRefusesIsDividedEvenly() throws Exception {
        ProxyUnderTest proxy = proxy();
        ClosedPort refusing = closedAfterwards(ClosedPort.open());
        InetSocketAddress service = serve(proxy, named("a"), refusing.address(), named("b"));
        assertThat(connect300(service)).isEqualTo(Map.of("a", 150, "b", 150));
    }

    @Test
    void anUpdateWithTheSameEndpointsKeepsTheTurn() throws Exception {
        ProxyUnderTest proxy = proxy();
        List<InetSocketAddress> endpoints = List.of(named("a"), named("b"), named("c"));
        InetSocketAddress service = serve(proxy, endpoints.toArray(InetSocketAddress[]::new));
        Map<String, Integer> counts = new ConcurrentHashMap<>();
        for (int i = 0; i < 300; i++) {
            proxy.setEndpoints(service, List.copyOf(endpoints));
            counts.merge(nameOfTheNext(service), 1, Integer::sum);
        }
        assertThat(counts).isEqualTo(Map.of("a", 100, "b", 100, "c", 100));
    }
}
