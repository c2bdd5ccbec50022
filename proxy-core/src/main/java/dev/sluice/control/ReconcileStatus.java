package dev.sluice.control;

import dev.sluice.model.Problem;
import dev.sluice.model.ServiceName;
import dev.sluice.model.ServicePortName;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What the last run of the {@link Reconciler} came to.
 *
 * <p>Immutable; any thread.
 *
 * @param complete whether the source has been complete, so that its Services were applied at all
 * @param problems what the source left out
 * @param portFailures Service ports that could not be opened, updated or closed, and why; each is
 *     tried again, and serves its earlier value if it had one
 * @param healthCheckFailures health checks of Services that can't be served, and why
 * @param failure what keeps all of them from being as desired: rules could not be written, or the
 *     run broke off
 * @param rulesInForce whether the last look at the rules left them in force, as far as this node
 *     can have them: a family that it can't serve is a {@code failure}, but the other's are in
 *     force, and rules that wait for their turn are no failure at all
 * @param localPorts port of each open listener, 1 to 65535
 */
public record ReconcileStatus(
        boolean complete,
        List<Problem> problems,
        SortedMap<ServicePortName, String> portFailures,
        SortedMap<ServiceName, String> healthCheckFailures,
        Optional<String> failure,
        boolean rulesInForce,
        Map<ServicePortName, Integer> localPorts) {

    static final ReconcileStatus NOTHING_YET =
            new ReconcileStatus(
                    false,
                    List.of(),
                    Collections.emptySortedMap(),
                    Collections.emptySortedMap(),
                    Optional.empty(),
                    false,
                    Map.of());

    public ReconcileStatus {
        problems = List.copyOf(problems);
        healthCheckFailures = Collections.unmodifiableSortedMap(new TreeMap<>(healthCheckFailures));
        portFailures = Collections.unmodifiableSortedMap(new TreeMap<>(portFailures));
        localPorts = Map.copyOf(localPorts);
    }

    /** Whether all that the source gave is applied; what the source left out does not count. */
    public boolean ok() {
        return complete
                && portFailures.isEmpty()
                && healthCheckFailures.isEmpty()
                && failure.isEmpty();
    }

    /** The port of a Service port's listener; empty while it has none. */
    public OptionalInt localPort(ServicePortName name) {
        Integer port = localPorts.get(name);
        return port == null ? OptionalInt.empty() : OptionalInt.of(port);
    }

    ReconcileStatus brokenOff(Throwable cause) {
        return new ReconcileStatus(
                complete,
                problems,
                portFailures,
                healthCheckFailures,
                Optional.of(cause.toString()),
                false,
                localPorts);
    }
}
