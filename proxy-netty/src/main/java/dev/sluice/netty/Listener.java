package dev.sluice.netty;

import dev.sluice.control.OpenListener;
import dev.sluice.model.ServicePort;
import dev.sluice.redirect.RedirectTarget;
import java.net.InetSocketAddress;
import java.util.stream.Collectors;

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

    /** All front ends lead to this one port. */
    OpenListener open() {
        RedirectTarget target = RedirectTarget.port(port());
        return new OpenListener(
                port(),
                servicePort.frontEnds().stream()
                        .collect(Collectors.toMap(frontEnd -> frontEnd, frontEnd -> target)));
    }
}
