package dev.sluice.cluster;

import static dev.sluice.cluster.Lab.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.e2e.Pod;
import java.io.IOException;
import java.time.Duration;
import java.util.function.UnaryOperator;

/**
 * A {@link Lab} with the proxy under test on its node. Each scenario gets Services of its own.
 *
 * <p>Threads: the test's.
 */
final class Bench {
    private final Lab lab;
    private final NodeProxy proxy;
    private int services;

    /**
     * One whose proxy runs already.
     *
     * @param lab without controllers: endpoints are what the scenario says
     */
    Bench(Lab lab, NodeProxy proxy) {
        this.lab = lab;
        this.proxy = proxy;
    }

    Lab lab() {
        return lab;
    }

    NodeProxy proxy() {
        return proxy;
    }

    /** A new Service, once a client of it is told the name of one of these pods. */
    HandMadeService service(Pod... pods) throws IOException {
        return service(UnaryOperator.identity(), pods);
    }

    /** The same for a Service that is special in some way. */
    HandMadeService service(UnaryOperator<HandMadeService> special, Pod... pods)
            throws IOException {
        HandMadeService service = special.apply(next());
        lab.controlPlane().apply(service.yaml(pods));
        lab.awaitRule(service.address());
        if (pods.length > 0) {
            awaitServed(service);
        }
        return service;
    }

    /** A name and an address that no scenario has had. */
    HandMadeService next() {
        services++;
        return HandMadeService.of("web-" + services, "10.96.1." + services);
    }

    /** Waits until a client is told the name of a pod. */
    void awaitServed(HandMadeService service) {
        eventually(() -> assertThat(lab.node().ask(service.address())).hasSize(1));
    }

    /** Lets time pass in which nobody connects. */
    static void idle(Duration time) {
        long start = System.nanoTime();
        await().pollDelay(time)
                .atMost(time.plusSeconds(10))
                .until(() -> System.nanoTime() - start >= time.toNanos());
    }
}
