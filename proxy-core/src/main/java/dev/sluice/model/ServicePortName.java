package dev.sluice.model;

import java.util.Comparator;

/**
 * The key of everything the proxy keeps: one port of one Service.
 *
 * <p>The protocol belongs to the key, since one Service may have the same port number, and in old
 * objects the same port name, for TCP and UDP.
 *
 * <p>Immutable; any thread.
 *
 * @param service the Service
 * @param port {@code spec.ports[].name}; empty for the only, unnamed port
 * @param protocol {@code spec.ports[].protocol}
 */
public record ServicePortName(ServiceName service, String port, Protocol protocol)
        implements Comparable<ServicePortName> {
    private static final Comparator<ServicePortName> ORDER =
            Comparator.comparing(ServicePortName::service)
                    .thenComparing(ServicePortName::port)
                    .thenComparing(ServicePortName::protocol);

    /** The same as the canonical constructor, from the parts. */
    public static ServicePortName of(
            String namespace, String name, String port, Protocol protocol) {
        return new ServicePortName(new ServiceName(namespace, name), port, protocol);
    }

    @Override
    public int compareTo(ServicePortName other) {
        return ORDER.compare(this, other);
    }

    /** {@code namespace/name:port/tcp}, or {@code namespace/name/tcp} for the unnamed port. */
    @Override
    public String toString() {
        return service + (port.isEmpty() ? "" : ":" + port) + "/" + protocol.lowerCase();
    }
}
