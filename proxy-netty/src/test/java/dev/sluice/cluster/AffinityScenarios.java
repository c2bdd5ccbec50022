package dev.sluice.cluster;

import static dev.sluice.cluster.Lab.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.e2e.Pod;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Services with {@code sessionAffinity: ClientIP} and three pods.
 *
 * <p>Stateless; threads: the test's.
 */
final class AffinityScenarios {
    private static final int LONG_SECONDS = 10_800;
    private static final int SHORT_SECONDS = 3;
    private static final int TIMES = 4;

    private AffinityScenarios() {}

    static List<Scenario> all() {
        return List.of(
                new Scenario(
                        "ClientIP: pods that 50 clients of one address reach",
                        AffinityScenarios::kept),
                new Scenario(
                        "ClientIP, 3 s: a client that comes each second for 8 s",
                        AffinityScenarios::renewed),
                new Scenario(
                        "ClientIP, 3 s: a client that comes 4 times after 4.2 s",
                        AffinityScenarios::expired),
                new Scenario(
                        "ClientIP: the timeout of a live Service becomes 3 s; the same client",
                        AffinityScenarios::shortened),
                new Scenario(
                        "ClientIP: the client's pod refuses, 10 clients",
                        AffinityScenarios::refusing),
                new Scenario(
                        "ClientIP: the client's pod has left, 10 clients",
                        AffinityScenarios::left));
    }

    private static Observation kept(Bench bench) throws Exception {
        HandMadeService service = sticky(bench, LONG_SECONDS);
        int pods = bench.lab().client().ask(service.address(), 50).size();
        return new Observation(pods == 1, String.valueOf(pods));
    }

    private static Observation renewed(Bench bench) throws Exception {
        HandMadeService service = sticky(bench, SHORT_SECONDS);
        String first = bench.lab().client().ask(service.address());
        for (int second = 1; second <= 8; second++) {
            Bench.idle(Duration.ofSeconds(1));
            if (!bench.lab().client().ask(service.address()).equals(first)) {
                return new Observation(false, "moves to another pod after " + second + " s");
            }
        }
        return new Observation(true, "stays");
    }

    private static Observation expired(Bench bench) throws Exception {
        return moves(bench, sticky(bench, SHORT_SECONDS));
    }

    private static Observation shortened(Bench bench) throws Exception {
        HandMadeService service = sticky(bench, LONG_SECONDS);
        bench.lab().client().ask(service.address());
        bench.lab().controlPlane().apply(service.withClientIpAffinity(SHORT_SECONDS).serviceYaml());
        return moves(bench, service);
    }

    private static Observation moves(Bench bench, HandMadeService service) throws IOException {
        String before = bench.lab().client().ask(service.address());
        int moves = 0;
        for (int i = 0; i < TIMES; i++) {
            Bench.idle(Duration.ofMillis(4_200));
            String now = bench.lab().client().ask(service.address());
            moves += now.equals(before) ? 0 : 1;
            before = now;
        }
        return new Observation(moves > 0, "moves " + moves + " times");
    }

    private static Observation refusing(Bench bench) throws Exception {
        HandMadeService service = sticky(bench, LONG_SECONDS);
        pinned(bench, service).stopServing();
        return failed(bench, service);
    }

    private static Observation left(Bench bench) throws Exception {
        HandMadeService service = sticky(bench, LONG_SECONDS);
        Pod gone = pinned(bench, service);
        Pod[] others = pods(bench).stream().filter(pod -> pod != gone).toArray(Pod[]::new);
        bench.lab().controlPlane().apply(service.endpointsYaml(others));
        gone.stopServing();
        String name = name(bench, gone);
        eventually(
                () ->
                        assertThat(bench.lab().client().ask(service.address()))
                                .hasSize(1)
                                .isNotEqualTo(name));
        return failed(bench, service);
    }

    private static Observation failed(Bench bench, HandMadeService service) throws IOException {
        Map<String, Integer> answers = bench.lab().client().ask(service.address(), 10);
        int served =
                answers.entrySet().stream()
                        .filter(answer -> answer.getKey().length() == 1)
                        .mapToInt(Map.Entry::getValue)
                        .sum();
        return new Observation(served == 10, (10 - served) + " failed");
    }

    private static HandMadeService sticky(Bench bench, int seconds) throws IOException {
        return bench.service(
                service -> service.withClientIpAffinity(seconds), pods(bench).toArray(Pod[]::new));
    }

    private static List<Pod> pods(Bench bench) {
        return List.of(bench.lab().a(), bench.lab().b(), bench.lab().c());
    }

    private static Pod pinned(Bench bench, HandMadeService service) throws IOException {
        String name = bench.lab().client().ask(service.address());
        return pods(bench).stream()
                .filter(pod -> name(bench, pod).equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no pod is called " + name));
    }

    private static String name(Bench bench, Pod pod) {
        return String.valueOf((char) ('a' + pods(bench).indexOf(pod)));
    }
}
