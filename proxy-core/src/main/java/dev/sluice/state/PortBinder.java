package dev.sluice.state;

import java.io.IOException;
import java.net.BindException;

/**
 * Binds a listener to a port that is offered to it.
 *
 * @param <T> the bound socket
 */
@FunctionalInterface
public interface PortBinder<T> {
    /**
     * Tries to bind.
     *
     * @param port 1 to 65535
     * @throws BindException if another port should be tried (EADDRINUSE, EACCES)
     * @throws IOException for what no other port would help against, such as EMFILE
     */
    T bind(int port) throws IOException;
}
