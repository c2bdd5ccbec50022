package dev.sluice.model;

/**
 * Namespace and name of a Service.
 *
 * <p>Immutable; any thread.
 */
public record ServiceName(String namespace, String name) implements Comparable<ServiceName> {
    @Override
    public int compareTo(ServiceName other) {
        int byNamespace = namespace.compareTo(other.namespace);
        return byNamespace != 0 ? byNamespace : name.compareTo(other.name);
    }

    /** {@code namespace/name}. */
    @Override
    public String toString() {
        return namespace + "/" + name;
    }
}
