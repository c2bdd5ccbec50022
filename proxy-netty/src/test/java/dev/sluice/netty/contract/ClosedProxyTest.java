package dev.sluice.netty.contract;

import static dev.sluice.peer.Received.intact;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.check.DescriptorCheck;
import dev.sluice.config.ProxyConfig;
import dev.sluice.peer.Content;
import dev.sluice.peer.Ending;
import dev.sluice.peer.Peer;
import dev.sluice.peer.ScriptedBackend;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A connection that the end of the proxy cuts off must not look complete to either side. */
@ExtendWith(DescriptorCheck.class)
final class ClosedProxyTest {
    private static final int CONNECTIONS = 20;

    @ParameterizedTest
    @EnumSource(names = {"EPOLL", "NIO"})
    void bothEndsOfOpenConnectionsAreReset(ProxyConfig.Transport.Kind transport) throws Exception {
        List<Peer> peers = new ArrayList<>();
        try (ScriptedBackend backend = ScriptedBackend.start()) {
            try (SpliceProxy proxy = new SpliceProxy(transport, Tuning.DEFAULT, Set.of())) {
                InetSocketAddress service = proxy.serve(List.of(backend.address()));
                for (int i = 0; i < CONNECTIONS; i++) {
                    Peer client = Peer.connect(service);
                    Peer server = backend.accept();
                    peers.add(client);
                    peers.add(server);
                    server.send("a");
                    assertThat(client.receiveText(1)).isEqualTo("a");
                }
            }
            for (Peer peer : peers) {
                assertThat(peer.receiveToEnd(Content.of(0))).isEqualTo(intact(0, Ending.RESET));
            }
        } finally {
            peers.forEach(Peer::close);
        }
    }
}
