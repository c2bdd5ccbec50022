package dev.sluice.netty.contract;

import java.net.InetSocketAddress;
import java.util.List;

/**
 * No proxy at all: clients talk to the backend. What holds here is TCP's own behaviour, which a
 * proxy should not be told from.
 *
 * <p>Immutable; any thread.
 */
final class DirectConnection implements ProxyUnderTest {
    @Override
    public InetSocketAddress serve(List<InetSocketAddress> endpoints) {
        return endpoints.get(0);
    }

    @Override
    public void setEndpoints(InetSocketAddress service, List<InetSocketAddress> endpoints) {
        throw new UnsupportedOperationException("a direct connection has one endpoint");
    }

    @Override
    public int activeConnections() {
        return 0;
    }

    @Override
    public void close() {}
}
