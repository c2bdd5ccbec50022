package dev.sluice.cluster;

import java.io.Closeable;
import java.io.IOException;

/**
 * A Service proxy that runs on the node of a {@link Lab}.
 *
 * <p>Threads: the test's.
 */
interface NodeProxy extends Closeable {
    /** Starts it; returns when it says that it is up, if it says so at all. */
    void start() throws IOException;

    /** SIGTERM, and a new start once it has ended. */
    void restart() throws IOException, InterruptedException;
}
