package dev.sluice.control;

import dev.sluice.model.HealthCheck;
import dev.sluice.model.ServiceName;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The servers that answer load balancers ({@code spec.healthCheckNodePort}), one for each Service
 * that has such a port.
 *
 * <p>Threads: control thread only; methods may block until a socket is open or closed.
 */
public interface HealthChecks {
    /** Nobody answers. */
    HealthChecks NONE = healthChecks -> new TreeMap<>();

    /**
     * Makes the servers exactly these. What failed is tried again with the next call.
     *
     * @return why some of them can't be served, by Service
     */
    SortedMap<ServiceName, String> replaceAll(List<HealthCheck> healthChecks);
}
