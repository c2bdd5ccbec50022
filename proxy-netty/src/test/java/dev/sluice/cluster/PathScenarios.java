package dev.sluice.cluster;

import dev.sluice.e2e.Clients;
import dev.sluice.e2e.Pod;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which ways lead through the proxy, and what is seen at their ends.
 *
 * <p>Stateless; threads: the test's.
 */
final class PathScenarios {
    private PathScenarios() {}

    static List<Scenario> all() {
        return List.of(
                new Scenario("client on the node itself", PathScenarios::fromTheNode),
                new Scenario(
                        "client behind an interface without an address",
                        PathScenarios::fromAnUnnumberedInterface),
                new Scenario("client that asks the proxy's own port", PathScenarios::pastTheRules),
                new Scenario("client's address that the pod sees", PathScenarios::address));
    }

    private static Observation fromTheNode(Bench bench) throws Exception {
        return served(bench, bench.lab().node());
    }

    private static Observation fromAnUnnumberedInterface(Bench bench) throws Exception {
        return served(bench, bench.lab().unnumberedClient());
    }

    private static Observation served(Bench bench, Pod client) throws IOException {
        HandMadeService service = bench.service(bench.lab().a());
        String answer = client.ask(service.address());
        return new Observation(answer.equals("a"), answer.equals("a") ? "served" : answer);
    }

    private static Observation pastTheRules(Bench bench) throws Exception {
        HandMadeService service = bench.service(bench.lab().a());
        Matcher rule =
                Pattern.compile(
                                "-d "
                                        + Pattern.quote(service.clusterIp())
                                        + "/32 .*(?:--to-ports |--to-destination \\S+:)(\\d+)")
                        .matcher(bench.lab().rules());
        if (!rule.find()) {
            return new Observation(true, "has none");
        }
        int port = Integer.parseInt(rule.group(1));
        String answer = bench.lab().client().ask(new InetSocketAddress(Lab.NODE_ADDRESS, port));
        return new Observation(
                answer.equals(Clients.RESET), answer.equals("a") ? "served" : answer);
    }

    private static Observation address(Bench bench) throws Exception {
        HandMadeService service = bench.service(bench.lab().a());
        bench.lab()
                .a()
                .serve(
                        () ->
                                connection ->
                                        connection.send(
                                                connection.remoteAddress().getHostAddress()));
        String seen = bench.lab().client().ask(service.address());
        return Observation.note(
                seen.equals(bench.lab().client().ipv4()) ? "the client's" : "the node's");
    }
}
