package dev.sluice.control;

import dev.sluice.model.FrontEnd;
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
     * refuses by itself; one that alone has none is refused by a rule, since the listener accepts
     * for the others.
     */
    RuleSet rules(Map<ServicePortName, ServicePort> desired) {
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
                if (servicePort.endpoints().isEmpty()
                        || servicePort.hasEndpoints(frontEnd.address().family())) {
                    redirects.put(frontEnd, localPorts.get(servicePort.name()));
                } else {
                    refused.add(frontEnd);
                }
            }
        }
        return new RuleSet(redirects, refused);
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

    private void apply(ServicePort servicePort, Listening listening) {
        try {
            localPorts.put(servicePort.name(), listening.localPort(servicePort));
            applied.put(servicePort.name(), servicePort);
        } catch (IOException e) {
            failures.add(servicePort.name(), e);
        } catch (RuntimeException e) {
            failures.add(servicePort.name(), e);
        }
    }

    @FunctionalInterface
    private interface Listening {
        int localPort(ServicePort servicePort) throws IOException;
    }
}
