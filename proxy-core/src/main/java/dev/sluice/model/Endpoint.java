package dev.sluice.model;

import java.util.Comparator;

/**
 * A place that serves a Service port: the address and port of a pod, as an EndpointSlice gives
 * them.
 *
 * <p>Immutable; any thread.
 *
 * @param port 1 to 65535; the slice's number, never the Service's {@code targetPort}
 */
public record Endpoint(IpAddress address, int port) implements Comparable<Endpoint> {
    private static final Comparator<Endpoint> ORDER =
            Comparator.comparing(Endpoint::address).thenComparing(Endpoint::port);

    public Endpoint {
        Ports.check(port);
    }

    @Override
    public int compareTo(Endpoint other) {
        return ORDER.compare(this, other);
    }

    /** {@code 10.244.1.7:8080} or {@code [fd00::7]:8080}. */
    @Override
    public String toString() {
        return address.withPort(port);
    }
}
