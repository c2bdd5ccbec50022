package dev.sluice.netty;

import java.io.IOException;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A bound TCP port that accepts, or refuses while nobody can serve, without giving the port away.
 *
 * <p>Threads: its event loop only, once made, except where a method says otherwise.
 */
interface ListenSocket {
    /** Where it is bound. */
    InetSocketAddress address();

    /**
     * Lets connections in and calls {@code onReady} on the event loop when some wait.
     *
     * @throws java.net.BindException if another program has taken the port meanwhile
     * @throws IOException for any other reason; it refuses as before
     */
    void listen(ConnectionLoop loop, Runnable onReady) throws IOException;

    /** Stops to look for waiting connections; they stay in the kernel's queue. */
    void pause();

    /** Looks for waiting connections again. */
    void resume() throws IOException;

    /**
     * Resets the connections that wait and refuses new ones (RST to a SYN); the port stays bound.
     */
    void refuse() throws IOException;

    /** Waits until a refusal, or a close, has taken effect. Control thread. */
    void awaitRefusal(ConnectionLoop loop);

    /**
     * Takes one waiting connection.
     *
     * @return null if none waits
     * @throws IOException if it could not be taken, for want of a descriptor as a rule
     */
    @Nullable StreamSocket accept() throws IOException;

    /** Lets go of the port. */
    void close() throws IOException;
}
