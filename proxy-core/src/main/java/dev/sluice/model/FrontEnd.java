package dev.sluice.model;

import java.util.Comparator;

/**
 * What a client asks for: an address that belongs to a Service, a port number and a protocol.
 *
 * <p>Immutable; any thread.
 *
 * @param address a VIP, or an address of this node for a NodePort; {@link FrontEndKind} tells
 * @param port 1 to 65535
 */
public record FrontEnd(IpAddress address, int port, Protocol protocol)
        implements Comparable<FrontEnd> {
    private static final Comparator<FrontEnd> ORDER =
            Comparator.comparing(FrontEnd::address)
                    .thenComparing(FrontEnd::port)
                    .thenComparing(FrontEnd::protocol);

    public FrontEnd {
        Ports.check(port);
    }

    @Override
    public int compareTo(FrontEnd other) {
        return ORDER.compare(this, other);
    }

    /** {@code 10.96.0.1:80/tcp} or {@code [fd00::1]:80/tcp}. */
    @Override
    public String toString() {
        return address.withPort(port) + "/" + protocol.lowerCase();
    }
}
