package dev.sluice.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What leads from what is applied to what is desired.
 *
 * <p>Immutable; any thread.
 *
 * @param added Service ports without a listener yet
 * @param updated Service ports whose value changed, as they shall be
 * @param removed Service ports that shall go
 */
public record SnapshotDiff(
        List<ServicePort> added, List<ServicePort> updated, List<ServicePortName> removed) {

    public SnapshotDiff {
        added = List.copyOf(added);
        updated = List.copyOf(updated);
        removed = List.copyOf(removed);
    }

    /**
     * Compares two views by key, in key order. An unchanged Service port keeps its identity from
     * one snapshot to the next, so the usual comparison is one of references.
     */
    @SuppressWarnings("ReferenceEquality")
    public static SnapshotDiff between(
            Map<ServicePortName, ServicePort> applied, Map<ServicePortName, ServicePort> desired) {
        List<ServicePort> added = new ArrayList<>();
        List<ServicePort> updated = new ArrayList<>();
        for (ServicePort servicePort : desired.values()) {
            ServicePort before = applied.get(servicePort.name());
            if (before == null) {
                added.add(servicePort);
            } else if (before != servicePort && !before.equals(servicePort)) {
                updated.add(servicePort);
            }
        }
        List<ServicePortName> removed =
                applied.keySet().stream().filter(name -> !desired.containsKey(name)).toList();
        return new SnapshotDiff(added, updated, removed);
    }

    public boolean isEmpty() {
        return added.isEmpty() && updated.isEmpty() && removed.isEmpty();
    }
}
