package dev.sluice.control;

import dev.sluice.model.FrontEnd;
import dev.sluice.model.HealthCheck;
import dev.sluice.model.LocalSources;
import dev.sluice.model.ServiceName;
import dev.sluice.model.ServicePort;
import dev.sluice.model.ServicePortName;
import dev.sluice.redirect.RedirectException;
import dev.sluice.redirect.RedirectRules;
import dev.sluice.redirect.RedirectTarget;
import dev.sluice.redirect.RuleSet;
import dev.sluice.redirect.UnservedFamilyException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The listeners and the kernel of a node: it records what is asked of it, fails when told to, and
 * notes every moment at which a rule leads to a port that nobody listens on.
 *
 * <p>Threads: one at a time.
 */
final class FakeNode implements ServiceListeners, HealthChecks, RedirectRules {
    final Map<ServicePortName, ServicePort> served = new TreeMap<>();
    final Map<ServicePortName, Integer> ports = new TreeMap<>();
    final Map<ServicePortName, Throwable> failing = new HashMap<>();
    final SortedMap<ServicePortName, String> incomplete = new TreeMap<>();
    final SortedMap<ServiceName, String> healthCheckFailures = new TreeMap<>();
    List<HealthCheck> healthChecks = List.of();
    LocalSources sources = LocalSources.NONE;
    final List<String> calls = new ArrayList<>();
    final List<String> violations = new ArrayList<>();
    RuleSet kernel = RuleSet.EMPTY;
    @Nullable Throwable rulesFailing;
    int ruleCalls;

    private final RandomGenerator random;
    private int nextPort = 20_000;

    FakeNode(RandomGenerator random) {
        this.random = random;
    }

    @Override
    public OpenListener open(ServicePort servicePort) throws IOException {
        calls.add("open " + servicePort.name());
        require(!served.containsKey(servicePort.name()), "opened twice: " + servicePort.name());
        failIfTold(servicePort.name());
        served.put(servicePort.name(), servicePort);
        ports.put(servicePort.name(), nextPort);
        return listener(servicePort, nextPort++);
    }

    @Override
    public OpenListener update(ServicePort servicePort) throws IOException {
        calls.add("update " + servicePort.name());
        require(served.containsKey(servicePort.name()), "not open: " + servicePort.name());
        failIfTold(servicePort.name());
        served.put(servicePort.name(), servicePort);
        return listener(servicePort, port(servicePort.name()));
    }

    private static OpenListener listener(ServicePort servicePort, int port) {
        Map<FrontEnd, RedirectTarget> targets = new HashMap<>();
        servicePort
                .frontEnds()
                .forEach(frontEnd -> targets.put(frontEnd, RedirectTarget.port(port)));
        return new OpenListener(port, targets);
    }

    @Override
    public SortedMap<ServicePortName, String> incomplete() {
        return incomplete;
    }

    @Override
    public void localSources(LocalSources given) {
        sources = given;
    }

    @Override
    public SortedMap<ServiceName, String> replaceAll(List<HealthCheck> wanted) {
        healthChecks = wanted;
        return healthCheckFailures;
    }

    @Override
    public void close(ServicePortName name) {
        calls.add("close " + name);
        require(served.containsKey(name), "closed twice: " + name);
        if (failing.get(name) instanceof RuntimeException failure) {
            throw failure;
        }
        require(
                !kernel.redirects().containsValue(RedirectTarget.port(Math.max(1, port(name)))),
                "closed under a rule: " + name);
        served.remove(name);
        ports.remove(name);
    }

    @Override
    public void replaceAll(RuleSet rules) throws RedirectException {
        ruleCalls++;
        if (!rules.equals(kernel)) {
            calls.add("rules");
        }
        rules.redirects()
                .forEach(
                        (frontEnd, port) ->
                                require(
                                        ports.containsValue(port.port()),
                                        "dead port: " + frontEnd));
        if (rulesFailing instanceof UnservedFamilyException) {
            kernel = rules;
            raise(rulesFailing);
        }
        if (rulesFailing != null) {
            // Some tables may have been written before the failure.
            kernel = random.nextBoolean() ? kernel : random.nextBoolean() ? rules : mixed(rules);
            raise(rulesFailing);
        }
        kernel = rules;
    }

    @Override
    public void removeAll() throws RedirectException {
        calls.add("remove rules");
        if (rulesFailing != null) {
            raise(rulesFailing);
        }
        kernel = RuleSet.EMPTY;
    }

    /** Another program takes the port while it is held without endpoints. */
    void losePort(ServicePortName name) {
        ports.put(name, nextPort++);
    }

    /** The Service port whose listener a client of the front end reaches. */
    @Nullable ServicePortName reached(FrontEnd frontEnd) {
        RedirectTarget target = kernel.redirects().get(frontEnd);
        return ports.entrySet().stream()
                .filter(entry -> target != null && entry.getValue() == target.port())
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse(null);
    }

    private int port(ServicePortName name) {
        Integer port = ports.get(name);
        return port == null ? -1 : port;
    }

    private RuleSet mixed(RuleSet rules) {
        Map<FrontEnd, RedirectTarget> redirects = new TreeMap<>();
        for (boolean ipv4 : new boolean[] {true, false}) {
            (random.nextBoolean() ? kernel : rules)
                    .redirects()
                    .forEach(
                            (frontEnd, port) -> {
                                if (ipv4 == frontEnd.address().toString().contains(".")) {
                                    redirects.put(frontEnd, port);
                                }
                            });
        }
        return new RuleSet(new TreeMap<>(redirects), new TreeSet<>());
    }

    private void failIfTold(ServicePortName name) throws IOException {
        Throwable failure = failing.get(name);
        if (failure instanceof IOException expected) {
            throw expected;
        }
        raiseUnchecked(failure);
    }

    private static void raise(Throwable failure) throws RedirectException {
        if (failure instanceof RedirectException expected) {
            throw expected;
        }
        raiseUnchecked(failure);
    }

    private static void raiseUnchecked(@Nullable Throwable failure) {
        if (failure instanceof RuntimeException fault) {
            throw fault;
        }
        if (failure instanceof Error error) {
            throw error;
        }
    }

    private void require(boolean holds, String violation) {
        if (!holds) {
            violations.add(violation);
        }
    }
}
