package dev.sluice.kubernetes;

import dev.sluice.model.Protocol;

/**
 * What joins a port of a Service with a port of its endpoints. The number does not: {@code
 * targetPort} may be a name that gives each pod another number.
 *
 * <p>Immutable; any thread.
 *
 * @param name empty for the unnamed port
 */
record PortKey(String name, Protocol protocol) {}
