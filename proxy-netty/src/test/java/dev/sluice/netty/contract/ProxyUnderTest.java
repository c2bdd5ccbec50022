package dev.sluice.netty.contract;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * A running proxy as the contracts use it.
 *
 * <p>Threads: {@link #activeConnections} from any thread, the rest from the test's thread.
 */
interface ProxyUnderTest extends AutoCloseable {
    /** Starts a proxy. */
    @FunctionalInterface
    interface Factory {
        ProxyUnderTest start(Tuning tuning) throws Exception;
    }

    /**
     * Opens a Service port over these endpoints; without any, connects are refused.
     *
     * @return where a client connects
     */
    InetSocketAddress serve(List<InetSocketAddress> endpoints) throws IOException;

    /**
     * Replaces the endpoints of the Service port that clients reach at {@code service}; in force
     * for new connections when it returns.
     */
    void setEndpoints(InetSocketAddress service, List<InetSocketAddress> endpoints)
            throws IOException;

    /** Number of client connections that are dialling, spliced or half-closed now. */
    int activeConnections();

    @Override
    void close() throws IOException;
}
