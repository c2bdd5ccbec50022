package dev.sluice.netty;

import dev.sluice.model.FrontEnd;
import org.jspecify.annotations.Nullable;

/**
 * How a listening socket knows what its clients asked for: from the kernel where they are
 * redirected, from its own address where they are not.
 *
 * <p>Threads: event loops.
 */
@FunctionalInterface
interface AskedFrontEnd {
    /** Null if the client asked for the listener itself. */
    @Nullable FrontEnd of(StreamSocket client);
}
