package dev.sluice.netty.contract;

import static dev.sluice.peer.Received.intact;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.peer.Backend;
import dev.sluice.peer.Behaviour;
import dev.sluice.peer.Content;
import dev.sluice.peer.Ending;
import dev.sluice.peer.Peer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** A change of endpoints concerns new connections only. */
abstract class SwapContract extends SpliceContract {
    private static final Content CONTENT = Content.of(1);

    SwapContract(ProxyUnderTest.Factory proxies) {
        super(proxies);
    }

    @Test
    void connectionsToAnEndpointThatLeftLiveOn() throws Exception {
        ProxyUnderTest proxy = proxy();
        Backend leaving = backend(Behaviour.echo());
        Backend coming = backend(Behaviour.echo());
        InetSocketAddress service = serve(proxy, leaving.address());
        List<Peer> old = talking(100, service);
        proxy.setEndpoints(service, List.of(coming.address()));
        talking(100, service);
        assertTalk(old, 1);
        assertThat(leaving.accepted()).isEqualTo(100);
        assertThat(coming.accepted()).isEqualTo(100);
        proxy.setEndpoints(service, List.of(leaving.address()));
        talking(10, service);
        assertTalk(old, 2);
        assertThat(leaving.accepted()).isEqualTo(110);
        assertThat(leaving.openConnections()).isEqualTo(110);
        assertThat(coming.openConnections()).isEqualTo(100);
    }

    @Test
    void changesOfAnotherServiceTouchNothing() throws Exception {
        ProxyUnderTest proxy = proxy();
        Backend backend = backend(Behaviour.echo());
        Backend another = backend(Behaviour.echo());
        InetSocketAddress service = serve(proxy, backend.address());
        InetSocketAddress changing = serve(proxy, backend.address());
        List<Peer> flows = talking(200, service);
        for (int i = 0; i < 50; i++) {
            proxy.setEndpoints(
                    changing, List.of(i % 2 == 0 ? another.address() : backend.address()));
        }
        assertTalk(flows, 1);
        assertThat(backend.openConnections()).isEqualTo(200);
        talking(1, service);
    }

    @Test
    void noConnectionIsCutAndNoneGoesAstrayWhileEndpointsChange() throws Exception {
        ProxyUnderTest proxy = proxy();
        List<InetSocketAddress> a = List.of(backend(Behaviour.banner("a")).address());
        List<InetSocketAddress> b = List.of(backend(Behaviour.banner("b")).address());
        InetSocketAddress service = serve(proxy, a.get(0));
        AtomicBoolean over = new AtomicBoolean();
        List<Future<?>> load = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            load.add(beside(() -> connectAndTalkUntil(over, service)));
        }
        for (int i = 0; i < 100; i++) {
            proxy.setEndpoints(service, i % 2 == 0 ? b : a);
            try (Peer client = Peer.connect(service)) {
                assertThat(client.receiveText(1)).isEqualTo(i % 2 == 0 ? "b" : "a");
            }
        }
        over.set(true);
        for (Future<?> each : load) {
            result(each);
        }
    }

    private void connectAndTalkUntil(AtomicBoolean over, InetSocketAddress service)
            throws IOException {
        try (Peer lasting = Peer.connect(service)) {
            lasting.receiveText(1);
            for (long round = 0; !over.get(); round++) {
                assertTalk(lasting, round);
                try (Peer brief = Peer.connect(service)) {
                    assertThat(brief.receiveText(1)).isIn("a", "b");
                    assertTalk(brief, 0);
                }
            }
        }
    }

    /** New connections through {@code service} that have each exchanged bytes with an echo. */
    private List<Peer> talking(int count, InetSocketAddress service) throws IOException {
        List<Peer> clients = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            clients.add(connect(service));
        }
        assertTalk(clients, 0);
        return clients;
    }

    private static void assertTalk(List<Peer> clients, long round) throws IOException {
        for (Peer client : clients) {
            assertTalk(client, round);
        }
    }

    private static void assertTalk(Peer client, long round) throws IOException {
        client.send(CONTENT, round * 64, 64);
        assertThat(client.receive(CONTENT, round * 64, 64)).isEqualTo(intact(64, Ending.OPEN));
    }
}
