package dev.sluice.control;

import dev.sluice.model.ServicePort;
import dev.sluice.model.ServicePortName;
import dev.sluice.model.ServiceSnapshot;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Services that a program sets itself, for embedding. Nothing is served before the first {@link
 * #set}.
 *
 * <p>Threads: any.
 */
public final class ProgrammaticServiceSource implements ServiceSource {
    private @Nullable ServiceSnapshot current;
    private @Nullable Runnable onChange;

    /**
     * Replaces all that was set before; allowed before the source is followed, and after.
     *
     * @param snapshot Service ports of {@link dev.sluice.model.Protocol#TCP}. Others are not served
     *     yet: the listeners refuse each of them, which the status of the proxy shows as a failure,
     *     and the rest is served
     */
    public synchronized void set(ServiceSnapshot snapshot) {
        current = current == null ? snapshot : keepingIdentity(current, snapshot);
        if (onChange != null) {
            onChange.run();
        }
    }

    /**
     * @throws IllegalStateException if the source is followed already
     */
    @Override
    public synchronized void start(Runnable onChange) {
        if (this.onChange != null) {
            throw new IllegalStateException("this source is followed already");
        }
        this.onChange = onChange;
        if (current != null) {
            onChange.run();
        }
    }

    @Override
    public synchronized Optional<ServiceSnapshot> snapshot() {
        return Optional.ofNullable(current);
    }

    /** Stops to follow; what was set stays, and the source may be followed again. */
    @Override
    public synchronized void close() {
        onChange = null;
    }

    private static ServiceSnapshot keepingIdentity(ServiceSnapshot before, ServiceSnapshot after) {
        SortedMap<ServicePortName, ServicePort> kept = new TreeMap<>(after.servicePorts());
        kept.replaceAll(
                (name, servicePort) -> {
                    ServicePort old = before.servicePorts().get(name);
                    return old != null && old.equals(servicePort) ? old : servicePort;
                });
        return new ServiceSnapshot(
                kept, after.problems(), after.healthChecks(), after.localSources());
    }
}
