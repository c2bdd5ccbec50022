package dev.sluice.netty.contract;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;

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

    /** What not every implementation can do; a test that needs it is skipped with its name. */
    enum Capability {
        /** Bytes that arrived before a reset are delivered even to a client that reads late. */
        RESET_AFTER_DATA,
        /** A connection that is half-closed and idle, or dead in the kernel, is ended. */
        REAPER,
        /** A connect to the proxy's own listener as an endpoint is not made. */
        LOOP_GUARD
    }

    /** What this implementation can do. */
    Set<Capability> capabilities();

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
