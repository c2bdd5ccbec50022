package dev.sluice.netty;

import dev.sluice.model.ServicePort;
import java.net.InetSocketAddress;

/**
 * A listener with the value it serves.
 *
 * <p>Immutable; any thread may ask where it is.
 *
 * @param listening whether it takes connections; otherwise it holds its port and refuses them
 */
record Listener(ServicePort servicePort, Acceptor acceptor, boolean listening) {
    InetSocketAddress address() {
        return acceptor.socket().address();
    }

    int port() {
        return address().getPort();
    }
}
