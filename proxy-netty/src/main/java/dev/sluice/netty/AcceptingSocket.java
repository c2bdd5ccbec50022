package dev.sluice.netty;

import java.io.IOException;
import java.net.InetSocketAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A bound socket of a Service port that takes connections while somebody can be served, and refuses
 * them otherwise.
 *
 * <p>Threads: control thread only, except that any thread may ask where it is and whether it
 * listens.
 */
final class AcceptingSocket {
    private static final Logger log = LoggerFactory.getLogger(AcceptingSocket.class);

    private final ListenSocket socket;
    private final Acceptor acceptor;
    private volatile boolean listening;

    /** Refuses until the first {@link #update}. */
    AcceptingSocket(ListenSocket socket, Acceptor acceptor) {
        this.socket = socket;
        this.acceptor = acceptor;
    }

    InetSocketAddress address() {
        return socket.address();
    }

    boolean isListening() {
        return listening;
    }

    /**
     * Sends connections elsewhere from now on.
     *
     * @param usable whether any of them can be served
     * @throws java.net.BindException if the port was lost while it refused
     * @throws IOException if it can't listen; it refuses on
     */
    void update(Backends backends, boolean usable) throws IOException {
        ConnectionLoop loop = acceptor.loop();
        if (listening && !usable) {
            loop.run(socket::refuse);
            socket.awaitRefusal(loop);
            listening = false;
        }
        acceptor.update(backends);
        if (!listening && usable) {
            loop.run(() -> socket.listen(loop, acceptor::acceptWaiting));
            listening = true;
        }
    }

    /** Lets go of the port. */
    void close() {
        try {
            acceptor.loop().run(socket::close);
            socket.awaitRefusal(acceptor.loop());
        } catch (IOException e) {
            log.error("the listener at {} could not be closed", address(), e);
        }
        listening = false;
    }
}
