package dev.sluice.control;

import dev.sluice.model.FrontEnd;
import dev.sluice.model.IpFamily;
import dev.sluice.model.ServicePort;
import dev.sluice.model.ServicePortName;
import dev.sluice.model.SnapshotDiff;
import dev.sluice.redirect.RuleSet;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
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
    private final PortFailures failures = new PortFailures();

    /** The rules to exactly what is applied; null when they have to be built anew. */
    private @Nullable RuleSet rules;

    AppliedPorts(ServiceListeners listeners) {
        this.listeners = listeners;
    }

    /** Opens and updates listeners; those of removed Service ports stay open. */
    void openAndUpdate(SnapshotDiff diff) {
        failures.beginRun();
        for (ServicePort servicePort : diff.added()) {
            apply(servicePort, listeners::open);
        }
        for (ServicePort servicePort : diff.updated()) {
            apply(servicePort, listeners::update);
        }
    }

    /** Closes listeners that no rule names any more. */
    void close(Iterable<ServicePortName> names) {
        for (ServicePortName name : names) {
            try {
                listeners.close(name);
                applied.remove(name);
                localPorts.remove(name);
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
     * to another one by now. If none of a Service port's front ends has an endpoint, its listener
     * refuses by itself; one that alone has none is refused by its rule, since the listener accepts
     * for the others.
     *
     * <p>They are built anew only when they may differ: an endpoint change seldom touches a rule,
     * and to build those of 10,000 Service ports takes longer than all the rest of a run.
     */
    RuleSet rules(Map<ServicePortName, ServicePort> desired) {
        // Nothing failed, so all that is desired is applied; an equal size means nothing else is.
        boolean exact = failures.current().isEmpty() && applied.size() == desired.size();
        if (!exact) {
            rules = null;
            return build(desired);
        }
        if (rules == null) {
            rules = build(desired);
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

    private RuleSet build(Map<ServicePortName, ServicePort> desired) {
        SortedMap<FrontEnd, Integer> redirects = new TreeMap<>();
        SortedSet<FrontEnd> refused = new TreeSet<>();
        for (ServicePort servicePort : applied.values()) {
            ServicePort wanted = desired.get(servicePort.name());
            if (wanted == null) {
                continue;
            }
            for (FrontEnd frontEnd : servicePort.frontEnds()) {
                if (!wanted.frontEnds().contains(frontEnd)) {
                    continue;
                }
                redirects.put(frontEnd, localPorts.get(servicePort.name()));
                if (!servicePort.endpoints().isEmpty()
                        && !servicePort.hasEndpoints(frontEnd.address().family())) {
                    refused.add(frontEnd);
                }
            }
        }
        return new RuleSet(redirects, refused);
    }

    private void apply(ServicePort servicePort, Listening listening) {
        try {
            Integer port = listening.localPort(servicePort);
            Integer portBefore = localPorts.put(servicePort.name(), port);
            ServicePort before = applied.put(servicePort.name(), servicePort);
            if (before == null || !port.equals(portBefore) || !sameRules(before, servicePort)) {
                rules = null;
            }
        } catch (IOException e) {
            failures.add(servicePort.name(), e);
        } catch (RuntimeException e) {
            failures.add(servicePort.name(), e);
        }
    }

    private static boolean sameRules(ServicePort before, ServicePort after) {
        return before.frontEnds().equals(after.frontEnds())
                && Stream.of(IpFamily.values())
                        .allMatch(
                                family ->
                                        before.hasEndpoints(family) == after.hasEndpoints(family));
    }

    @FunctionalInterface
    private interface Listening {
        int localPort(ServicePort servicePort) throws IOException;
    }
}
