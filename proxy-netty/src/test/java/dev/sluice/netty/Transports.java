package dev.sluice.netty;

import java.util.stream.Stream;

/**
 * The transports that this machine has, for parameterised tests.
 *
 * <p>Stateless; any thread.
 */
final class Transports {
    private Transports() {}

    /** NIO, and epoll on Linux. */
    static Stream<NettyTransport> all() {
        return EpollTransport.isAvailable()
                ? Stream.of(new EpollTransport(), new NioTransport())
                : Stream.of(new NioTransport());
    }
}
