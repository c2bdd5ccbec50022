package dev.sluice.model;

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
    /** The same as the canonical constructor, from the parts. */
    public static ServicePortName of(
            String namespace, String name, String port, Protocol protocol) {
        return new ServicePortName(new ServiceName(namespace, name), port, protocol);
    }

    @Override
    public int compareTo(ServicePortName other) {
        int byService = service.compareTo(other.service);
        if (byService != 0) {
            return byService;
        }
        int byPort = port.compareTo(other.port);
        return byPort != 0 ? byPort : protocol.compareTo(other.protocol);
    }

    /** {@code namespace/name:port/tcp}, or {@code namespace/name/tcp} for the unnamed port. */
    @Override
    public String toString() {
        return service + (port.isEmpty() ? "" : ":" + port) + "/" + protocol.lowerCase();
    }
}
