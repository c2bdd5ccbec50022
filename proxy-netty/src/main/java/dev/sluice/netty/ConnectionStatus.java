package dev.sluice.netty;

import dev.sluice.model.Endpoint;
import dev.sluice.model.FrontEnd;
import dev.sluice.model.IpAddress;
import dev.sluice.model.ServicePortName;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A live connection, or a UDP session, as it was at one moment.
 *
 * <p>Immutable; any thread.
 *
 * @param client address of the client
 * @param clientPort its port
 * @param frontEnd what the client asked for; empty where nothing redirects and it came to the
 *     listener itself, and for UDP, whose sockets can't be asked
 * @param endpoint who serves it, or is being dialled; empty between two tries
 * @param age since it was taken from the listener, or since the session's first datagram
 * @param bytesFromClient bytes read from the client
 * @param bytesFromEndpoint bytes read from the endpoint
 */
public record ConnectionStatus(
        ServicePortName servicePort,
        IpAddress client,
        int clientPort,
        Optional<FrontEnd> frontEnd,
        Optional<Endpoint> endpoint,
        Phase phase,
        Duration age,
        long bytesFromClient,
        long bytesFromEndpoint) {

    /** How far it has come. */
    public enum Phase {
        /** No endpoint has answered yet. */
        DIALLING,
        /** Bytes may flow both ways. */
        SPLICED,
        /** One direction has ended, the other goes on. */
        HALF_CLOSED,
        /** One side was reset; the other one shall be, once it has the bytes that came before. */
        RESETTING
    }

    /**
     * Some of the live connections.
     *
     * @param oldest the ones looked for, oldest first, up to a limit
     * @param total how many there are of them without the limit
     */
    public record Sample(List<ConnectionStatus> oldest, long total) {
        public Sample {
            oldest = List.copyOf(oldest);
        }
    }
}
