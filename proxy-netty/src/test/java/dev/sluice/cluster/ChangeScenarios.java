package dev.sluice.cluster;

import static dev.sluice.cluster.Lab.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.e2e.Connection;
import dev.sluice.peer.Behaviour;
import java.io.IOException;
import java.util.List;
import org.awaitility.core.ThrowingRunnable;

/**
 * Changes at the API server, and restarts of the proxy, while clients come and go.
 *
 * <p>Stateless; threads: the test's.
 */
final class ChangeScenarios {
    private static final int PER_SECOND = 100;

    private ChangeScenarios() {}

    static List<Scenario> all() {
        return List.of(
                new Scenario(
                        "a new Service is reachable, after kubectl returned",
                        ChangeScenarios::newService),
                new Scenario(
                        "another endpoint is used, after kubectl returned",
                        ChangeScenarios::newEndpoint),
                new Scenario("rules after a change of endpoints", ChangeScenarios::rules),
                new Scenario(
                        "open connection whose endpoint has left", ChangeScenarios::endpointLeft),
                new Scenario(
                        "open connection whose Service is deleted",
                        ChangeScenarios::serviceDeleted),
                new Scenario("proxy restarts under 100 connections/s", ChangeScenarios::restart),
                new Scenario(
                        "the same while another connection is open, which",
                        ChangeScenarios::openAtRestart));
    }

    private static Observation newService(Bench bench) throws Exception {
        HandMadeService service = bench.next();
        bench.lab().controlPlane().apply(service.yaml(bench.lab().a()));
        return Observation.note(
                "after "
                        + millis(
                                () -> {
                                    bench.lab().awaitRule(service.address());
                                    bench.awaitServed(service);
                                }));
    }

    private static Observation newEndpoint(Bench bench) throws Exception {
        HandMadeService service = bench.service(bench.lab().a());
        bench.lab().controlPlane().apply(service.endpointsYaml(bench.lab().b()));
        return Observation.note(
                "after "
                        + millis(
                                () ->
                                        eventually(
                                                () ->
                                                        assertThat(
                                                                        bench.lab()
                                                                                .client()
                                                                                .ask(
                                                                                        service
                                                                                                .address()))
                                                                .isEqualTo("b"))));
    }

    private static String millis(ThrowingRunnable change) throws Exception {
        long start = System.nanoTime();
        try {
            change.run();
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
        return (System.nanoTime() - start) / 1_000_000 + " ms";
    }

    private static Observation rules(Bench bench) throws Exception {
        HandMadeService service = bench.service(bench.lab().a());
        String before = bench.lab().host().ruleset();
        moveTo(bench, service);
        boolean same = bench.lab().host().ruleset().equals(before);
        return Observation.note(same ? "the same" : "rewritten");
    }

    private static Observation endpointLeft(Bench bench) throws Exception {
        HandMadeService service = bench.service(bench.lab().a());
        Connection connection = open(bench, service);
        moveTo(bench, service);
        return state(connection);
    }

    private static Observation serviceDeleted(Bench bench) throws Exception {
        HandMadeService service = bench.service(bench.lab().a());
        Connection connection = open(bench, service);
        bench.lab().controlPlane().kubectl("delete", "service", service.name());
        String destination = service.clusterIp() + "/32";
        eventually(() -> assertThat(bench.lab().rules()).doesNotContain(destination));
        return state(connection);
    }

    private static Observation restart(Bench bench) throws Exception {
        HandMadeService service = bench.service(bench.lab().a(), bench.lab().b());
        return Observation.note(restartUnderLoad(bench, service));
    }

    private static Observation openAtRestart(Bench bench) throws Exception {
        HandMadeService other = bench.service(bench.lab().b());
        HandMadeService service = bench.service(bench.lab().a());
        Connection connection = open(bench, service);
        String load = restartUnderLoad(bench, other);
        return Observation.note(state(connection).words() + "; " + load);
    }

    private static String restartUnderLoad(Bench bench, HandMadeService service) throws Exception {
        bench.lab().startLoad(service.address(), PER_SECOND);
        bench.proxy().restart();
        bench.lab().awaitRule(service.address());
        bench.awaitServed(service);
        Load.Outcome outcome = bench.lab().stopLoad();
        return outcome.failed()
                + " of "
                + outcome.connections()
                + " failed; slowest "
                + outcome.slowestMillis()
                + " ms";
    }

    private static void moveTo(Bench bench, HandMadeService service) throws IOException {
        bench.lab().b().serve(() -> Behaviour.id("b"));
        bench.lab().controlPlane().apply(service.endpointsYaml(bench.lab().b()));
        eventually(() -> assertThat(bench.lab().node().ask(service.address())).isEqualTo("b"));
    }

    private static Connection open(Bench bench, HandMadeService service) throws IOException {
        bench.lab().a().serve(() -> Behaviour.banner("a"));
        Connection connection = bench.lab().client().connect(service.address());
        connection.receive(1);
        return connection;
    }

    private static Observation state(Connection connection) throws IOException {
        try {
            connection.echo("still here");
            return new Observation(true, "goes on");
        } catch (AssertionError e) {
            return new Observation(false, "is ended");
        }
    }
}
