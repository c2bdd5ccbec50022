package dev.sluice.cluster;

import static dev.sluice.cluster.Lab.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.e2e.Clients;
import java.util.ArrayList;
import java.util.List;

/**
 * Services some or all of whose pods are broken or gone.
 *
 * <p>Stateless; threads: the test's.
 */
final class FailureScenarios {
    private FailureScenarios() {}

    static List<Scenario> all() {
        return List.of(
                new Scenario("no endpoint; a client is", FailureScenarios::noEndpoint),
                new Scenario("the last endpoint has left; a client is", FailureScenarios::lastLeft),
                new Scenario(
                        "one of two pods refuses, 300 clients in turn",
                        FailureScenarios::oneOfTwoRefuses),
                new Scenario(
                        "one of two pods does not answer, 40 clients at once",
                        FailureScenarios::oneOfTwoIsSilent),
                new Scenario("both pods refuse; a client is", FailureScenarios::allRefuse));
    }

    private static Observation noEndpoint(Bench bench) throws Exception {
        HandMadeService service = bench.service();
        return refusal(bench, service);
    }

    private static Observation lastLeft(Bench bench) throws Exception {
        HandMadeService service = bench.service(bench.lab().a());
        bench.lab().controlPlane().apply(service.endpointsYaml());
        eventually(() -> assertThat(bench.lab().node().ask(service.address())).isNotEqualTo("a"));
        return refusal(bench, service);
    }

    private static Observation refusal(Bench bench, HandMadeService service) throws Exception {
        // The first one warms the client up.
        Clients.Answer answer = bench.lab().client().askInTurn(service.address(), 2).get(1);
        String told =
                switch (answer.text()) {
                    case Clients.CLOSED -> "accepted, then closed";
                    case Clients.TIMEOUT -> "left without an answer";
                    default -> answer.text();
                };
        return new Observation(
                answer.text().equals(Clients.REFUSED), told + " after " + answer.millis() + " ms");
    }

    private static Observation oneOfTwoRefuses(Bench bench) throws Exception {
        HandMadeService service = bench.service(bench.lab().a(), bench.lab().b());
        bench.lab().b().stopServing();
        return counted(bench.lab().client().askInTurn(service.address(), 300));
    }

    private static Observation oneOfTwoIsSilent(Bench bench) throws Exception {
        HandMadeService service = bench.service(bench.lab().a(), bench.lab().b());
        bench.lab().b().dropConnects();
        return counted(bench.lab().client().askAtOnce(service.address(), 40));
    }

    private static Observation allRefuse(Bench bench) throws Exception {
        HandMadeService service = bench.service(bench.lab().a(), bench.lab().b());
        bench.lab().a().stopServing();
        bench.lab().b().stopServing();
        Clients.Answer answer = bench.lab().client().askInTurn(service.address(), 1).get(0);
        boolean failure = List.of(Clients.REFUSED, Clients.RESET).contains(answer.text());
        return new Observation(failure, answer.text() + " after " + answer.millis() + " ms");
    }

    private static Observation counted(List<Clients.Answer> answers) {
        long failed = answers.stream().filter(answer -> !answer.text().equals("a")).count();
        List<Long> millis = new ArrayList<>();
        answers.stream().map(Clients.Answer::millis).sorted().forEach(millis::add);
        return new Observation(
                failed == 0,
                failed
                        + " failed; median "
                        + millis.get(millis.size() / 2)
                        + " ms, slowest "
                        + millis.get(millis.size() - 1)
                        + " ms");
    }
}
