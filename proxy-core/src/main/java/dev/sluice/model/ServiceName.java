package dev.sluice.model;

import java.util.Comparator;

/**
 * Namespace and name of a Service.
 *
 * <p>Immutable; any thread.
 */
public record ServiceName(String namespace, String name) implements Comparable<ServiceName> {
    private static final Comparator<ServiceName> ORDER =
            Comparator.comparing(ServiceName::namespace).thenComparing(ServiceName::name);

    @Override
    public int compareTo(ServiceName other) {
        return ORDER.compare(this, other);
    }

    /** {@code namespace/name}. */
    @Override
    public String toString() {
        return namespace + "/" + name;
    }
}
