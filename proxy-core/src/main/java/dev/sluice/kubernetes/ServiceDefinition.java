package dev.sluice.kubernetes;

import dev.sluice.model.IpAddress;
import dev.sluice.model.ServiceName;
import dev.sluice.model.SessionAffinity;
import java.time.Instant;
import java.util.List;

/**
 * A Service that this proxy serves, checked, without its endpoints.
 *
 * <p>Immutable; any thread.
 *
 * @param clusterIps one, or one of each family, in the order of the object
 * @param created {@link Instant#MAX} when the object does not say
 * @param ports those that can be served; may be empty
 */
record ServiceDefinition(
        ServiceName name,
        Instant created,
        List<IpAddress> clusterIps,
        SessionAffinity affinity,
        List<Port> ports) {

    /**
     * @param index place in {@code spec.ports}
     * @param number 1 to 65535
     */
    record Port(int index, PortKey key, int number) {}
}
