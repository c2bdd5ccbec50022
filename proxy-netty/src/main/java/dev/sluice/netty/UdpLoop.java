package dev.sluice.netty;

import io.netty.channel.IoEventLoop;
import java.io.IOException;

/**
 * An event loop with the sessions of the UDP sockets that it serves.
 *
 * <p>Immutable; {@link #sessions} is for the event loop only.
 */
record UdpLoop(ConnectionLoop loop, UdpSessions sessions) {
    IoEventLoop eventLoop() {
        return loop.eventLoop();
    }

    NettyTransport transport() {
        return loop.transport();
    }

    /** Runs a task on the event loop and waits for it. Control thread. */
    void run(ConnectionLoop.Task task) throws IOException {
        loop.run(task);
    }
}
