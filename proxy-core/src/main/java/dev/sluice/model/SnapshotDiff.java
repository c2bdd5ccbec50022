package dev.sluice.model;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

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
     * Compares two views by key, in key order, both walked at once. An unchanged Service port keeps
     * its identity from one snapshot to the next, so the usual comparison is one of references.
     *
     * @param applied in natural order, as is {@code desired}
     */
    @SuppressWarnings("ReferenceEquality")
    public static SnapshotDiff between(
            SortedMap<ServicePortName, ServicePort> applied,
            SortedMap<ServicePortName, ServicePort> desired) {
        List<ServicePort> added = new ArrayList<>();
        List<ServicePort> updated = new ArrayList<>();
        List<ServicePortName> removed = new ArrayList<>();
        Iterator<ServicePort> before = applied.values().iterator();
        Iterator<ServicePort> after = desired.values().iterator();
        @Nullable ServicePort old = next(before);
        @Nullable ServicePort now = next(after);
        while (old != null && now != null) {
            int order = compare(old, now);
            if (order < 0) {
                removed.add(old.name());
            } else if (order > 0) {
                added.add(now);
            } else if (old != now && !old.equals(now)) {
                updated.add(now);
            }
            old = order <= 0 ? next(before) : old;
            now = order >= 0 ? next(after) : now;
        }
        for (; old != null; old = next(before)) {
            removed.add(old.name());
        }
        for (; now != null; now = next(after)) {
            added.add(now);
        }
        return new SnapshotDiff(added, updated, removed);
    }

    private static @Nullable ServicePort next(Iterator<ServicePort> ports) {
        return ports.hasNext() ? ports.next() : null;
    }

    @SuppressWarnings("ReferenceEquality")
    private static int compare(ServicePort one, ServicePort other) {
        return one == other ? 0 : one.name().compareTo(other.name());
    }

    public boolean isEmpty() {
        return added.isEmpty() && updated.isEmpty() && removed.isEmpty();
    }
}
