package dev.sluice.control;

import static dev.sluice.control.ServicePorts.name;
import static dev.sluice.control.ServicePorts.port;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.sluice.model.FrontEnd;
import dev.sluice.model.ServicePort;
import dev.sluice.model.ServicePortName;
import dev.sluice.model.ServiceSnapshot;
import dev.sluice.redirect.RedirectException;
import dev.sluice.redirect.RuleSet;
import dev.sluice.redirect.UnservedFamilyException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.slf4j.LoggerFactory;

/**
 * Random changes of Services on a node where everything fails at random: at no moment does a rule
 * lead to a closed listener, and once nothing fails any more all is as the last snapshot says.
 */
class ReconcilerPropertyTest {
    private static final Logger LOGGER = (Logger) LoggerFactory.getLogger("dev.sluice.control");

    enum Step {
        SET,
        SET_ENDPOINTS,
        BREAK_SERVICE_PORT,
        MEND_SERVICE_PORTS,
        BREAK_RULES,
        MEND_RULES,
        FLUSH_RULES,
        WAIT
    }

    @BeforeContainer
    static void failSilently() {
        LOGGER.setLevel(Level.OFF);
    }

    @AfterContainer
    static void failLoudly() {
        LOGGER.setLevel(null);
    }

    @Property(tries = 1_000)
    void whateverFailsInBetweenTheLastSnapshotLands(
            @ForAll @Size(min = 1, max = 80) List<Step> steps, @ForAll long seed) {
        Random random = new Random(seed);
        FakeControl control = new FakeControl();
        FakeNode node = new FakeNode(random);
        ProgrammaticServiceSource source = new ProgrammaticServiceSource();
        Reconciler reconciler =
                new Reconciler(
                        source,
                        node,
                        HealthChecks.NONE,
                        node,
                        new SyncTimes(control::instant),
                        ReconcilerTest.PACE,
                        Duration.ofSeconds(15),
                        control,
                        control::nanoTime);
        reconciler.start();
        List<ServicePort> desired = List.of();
        source.set(ServiceSnapshot.EMPTY);

        for (Step step : steps) {
            switch (step) {
                case SET -> {
                    desired = services(random);
                    source.set(ServiceSnapshot.of(desired));
                }
                case SET_ENDPOINTS -> {
                    desired = desired.stream().map(port -> withEndpoints(port, random)).toList();
                    source.set(ServiceSnapshot.of(desired));
                }
                case BREAK_SERVICE_PORT ->
                        node.failing.put(name("s" + random.nextInt(4)), portFailure(random));
                case MEND_SERVICE_PORTS -> node.failing.clear();
                case BREAK_RULES -> node.rulesFailing = rulesFailure(random);
                case MEND_RULES -> node.rulesFailing = null;
                case FLUSH_RULES -> node.kernel = RuleSet.EMPTY;
                case WAIT -> control.advance(Duration.ofMillis(random.nextInt(3_000)));
            }
            control.advance(Duration.ofMillis(random.nextInt(150)));
            assertThat(node.violations).isEmpty();
        }

        node.failing.clear();
        node.rulesFailing = null;
        control.advance(Duration.ofSeconds(11));

        assertThat(node.violations).isEmpty();
        assertThat(reconciler.status().ok()).isTrue();
        assertThat(node.served.values()).containsExactlyInAnyOrderElementsOf(desired);
        assertThat(reconciler.status().localPorts()).isEqualTo(node.ports);
        assertRules(node, desired);
    }

    private static void assertRules(FakeNode node, List<ServicePort> desired) {
        Map<FrontEnd, ServicePortName> reached = new TreeMap<>();
        List<FrontEnd> refused = new ArrayList<>();
        for (ServicePort servicePort : desired) {
            for (FrontEnd frontEnd : servicePort.frontEnds()) {
                reached.put(frontEnd, servicePort.name());
                boolean some = !servicePort.endpoints(frontEnd.address().family()).isEmpty();
                boolean none = servicePort.endpoints().isEmpty();
                if (!some && !none) {
                    refused.add(frontEnd);
                }
            }
        }
        assertThat(node.kernel.redirects().keySet()).isEqualTo(reached.keySet());
        reached.forEach((frontEnd, name) -> assertThat(node.reached(frontEnd)).isEqualTo(name));
        assertThat(node.kernel.refused()).containsExactlyInAnyOrderElementsOf(refused);
    }

    /** Some of four Services, each with one or two of few addresses, so that these move often. */
    private static List<ServicePort> services(Random random) {
        List<Integer> addresses = new ArrayList<>(List.of(1, 2, 3, 4, 5));
        Collections.shuffle(addresses, random);
        List<ServicePort> services = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            if (random.nextInt(3) > 0) {
                String four = "10.96.0." + addresses.get(i);
                List<String> both = List.of(four, "fd00::" + addresses.get(i));
                ServicePort bare = port("s" + i, random.nextBoolean() ? both : List.of(four));
                services.add(withEndpoints(bare, random));
            }
        }
        return services;
    }

    private static ServicePort withEndpoints(ServicePort servicePort, Random random) {
        List<String> endpoints = new ArrayList<>();
        for (String address : List.of("10.244.0.1", "10.244.0.2", "fd01::1")) {
            if (random.nextInt(3) == 0) {
                endpoints.add(address);
            }
        }
        return new ServicePort(
                servicePort.name(),
                servicePort.clusterIps(),
                servicePort.port(),
                servicePort.affinity(),
                port("any", "10.96.0.1", endpoints.toArray(String[]::new)).endpoints());
    }

    private static Throwable rulesFailure(Random random) {
        return switch (random.nextInt(3)) {
            case 0 -> new RedirectException("xtables lock is held");
            case 1 -> new UnservedFamilyException("no ip6tables");
            default -> new IllegalStateException("a bug");
        };
    }

    private static Throwable portFailure(Random random) {
        return switch (random.nextInt(5)) {
            case 0 -> new StackOverflowError();
            case 1, 2 -> new IllegalStateException("a bug");
            default -> new IOException("no port is free");
        };
    }
}
