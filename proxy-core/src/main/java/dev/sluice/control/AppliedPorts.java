package dev.sluice.control;

import dev.sluice.model.Cidr;
import dev.sluice.model.FrontEnd;
import dev.sluice.model.IpAddress;
import dev.sluice.model.ServicePort;
import dev.sluice.model.ServicePortName;
import dev.sluice.model.ServiceSnapshot;
import dev.sluice.model.SnapshotDiff;
import dev.sluice.model.SourceRanges;
import dev.sluice.redirect.DropScope;
import dev.sluice.redirect.RedirectTarget;
import dev.sluice.redirect.RuleSet;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What the listeners serve now. An open listener stands here with the value that it has; what
 * failed keeps its old one, so that the next comparison finds the difference again.
 *
 * <p>Threads: control thread only.
 */
final class AppliedPorts {
    private final ServiceListeners listeners;
    private final SortedMap<ServicePortName, ServicePort> applied = new TreeMap<>();
    private final Map<ServicePortName, Integer> localPorts = new HashMap<>();
    private final SortedMap<ServicePortName, PortRules> portRules = new TreeMap<>();
    private final PortFailures failures = new PortFailures();

    /** The rules to exactly what is applied; null when they have to be built anew. */
    private @Nullable RuleSet rules;

    private List<Cidr> localPods = List.of();

    AppliedPorts(ServiceListeners listeners) {
        this.listeners = listeners;
    }

    /** Opens and updates listeners; those of removed Service ports stay open. */
    void openAndUpdate(SnapshotDiff diff) {
        failures.beginRun();
        for (ServicePort servicePort : diff.added()) {
            apply(servicePort, listeners::open);
        }
        Set<ServicePortName> again = new TreeSet<>(listeners.incomplete().keySet());
        for (ServicePort servicePort : diff.updated()) {
            again.remove(servicePort.name());
            apply(servicePort, listeners::update);
        }
        diff.added().forEach(servicePort -> again.remove(servicePort.name()));
        again.removeAll(diff.removed());
        for (ServicePortName name : again) {
            ServicePort servicePort = applied.get(name);
            if (servicePort != null) {
                apply(servicePort, listeners::update);
            }
        }
        listeners.incomplete().forEach((name, why) -> failures.add(name, new IOException(why)));
    }

    /** Closes listeners that no rule names any more. */
    void close(Iterable<ServicePortName> names) {
        for (ServicePortName name : names) {
            try {
                listeners.close(name);
                applied.remove(name);
                localPorts.remove(name);
                portRules.remove(name);
                rules = null;
            } catch (RuntimeException e) {
                failures.add(name, e);
            }
        }
    }

    /**
     * The rules that lead to the open listeners.
     *
     * <p>A front end has a rule if its Service port has it and shall have it: what is removed leads
     * nowhere, and a Service port that could not be updated does not keep a front end which belongs
     * to another one by now.
     *
     * <p>They are built anew only when they may differ: an endpoint change seldom touches a rule,
     * and to build those of 10,000 Service ports takes longer than all the rest of a run.
     */
    RuleSet rules(ServiceSnapshot desired) {
        // Nothing failed, so all that is desired is applied; an equal size means nothing else is.
        boolean exact =
                failures.current().isEmpty() && applied.size() == desired.servicePorts().size();
        if (!exact) {
            rules = null;
            return build(desired);
        }
        if (rules == null || !localPods.equals(desired.localSources().pods())) {
            rules = build(desired);
            localPods = desired.localSources().pods();
        }
        return rules;
    }

    SortedMap<ServicePortName, ServicePort> applied() {
        return applied;
    }

    Map<ServicePortName, Integer> localPorts() {
        return localPorts;
    }

    PortFailures failures() {
        return failures;
    }

    private RuleSet build(ServiceSnapshot desired) {
        SortedMap<FrontEnd, RedirectTarget> redirects = new TreeMap<>();
        TreeSet<FrontEnd> refused = new TreeSet<>();
        SortedMap<FrontEnd, DropScope> dropped = new TreeMap<>();
        SortedMap<FrontEnd, SourceRanges> limited = new TreeMap<>();
        TreeSet<IpAddress> closed = new TreeSet<>();
        for (Map.Entry<ServicePortName, PortRules> entry : portRules.entrySet()) {
            ServicePort wanted = desired.servicePorts().get(entry.getKey());
            if (wanted == null) {
                continue;
            }
            Set<FrontEnd> frontEnds = wanted.kinds().keySet();
            PortRules own = entry.getValue();
            putAll(own.redirects(), frontEnds, redirects);
            own.refused().stream().filter(frontEnds::contains).forEach(refused::add);
            putAll(own.dropped(), frontEnds, dropped);
            putAll(own.limited(), frontEnds, limited);
            wanted.clusterIps().stream().filter(own::redirectsAt).forEach(closed::add);
        }
        return new RuleSet(
                redirects, refused, dropped, limited, desired.localSources().pods(), closed);
    }

    private static <T> void putAll(
            Map<FrontEnd, T> own, Set<FrontEnd> frontEnds, Map<FrontEnd, T> all) {
        own.forEach(
                (frontEnd, value) -> {
                    if (frontEnds.contains(frontEnd)) {
                        all.put(frontEnd, value);
                    }
                });
    }

    private void apply(ServicePort servicePort, Listening listening) {
        try {
            OpenListener listener = listening.listener(servicePort);
            localPorts.put(servicePort.name(), listener.port());
            applied.put(servicePort.name(), servicePort);
            PortRules now = PortRules.of(servicePort, listener);
            if (!now.equals(portRules.put(servicePort.name(), now))) {
                rules = null;
            }
        } catch (IOException e) {
            failures.add(servicePort.name(), e);
        } catch (RuntimeException e) {
            failures.add(servicePort.name(), e);
        }
    }

    @FunctionalInterface
    private interface Listening {
        OpenListener listener(ServicePort servicePort) throws IOException;
    }
}
