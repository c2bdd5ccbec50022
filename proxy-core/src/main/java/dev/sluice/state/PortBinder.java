package dev.sluice.state;

import java.io.IOException;

/** Binds a listener to a port that is offered to it. */
@FunctionalInterface
public interface PortBinder {
    /**
     * Tries to bind.
     *
     * @param port 1 to 65535
     * @return false if the port is in use (EADDRINUSE) or not allowed (EACCES) and another one
     *     should be tried
     * @throws IOException for what no other port would help against, such as EMFILE
     */
    boolean bind(int port) throws IOException;
}
