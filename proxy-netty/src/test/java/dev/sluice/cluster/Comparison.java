package dev.sluice.cluster;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The same black-box script against several proxies, each with a control plane, pods and clients of
 * its own, and the table of what was seen.
 *
 * <p>Threads: the test's.
 */
final class Comparison {
    private static final Logger log = LoggerFactory.getLogger(Comparison.class);

    /** Rows from top to bottom. */
    static final List<Scenario> SCENARIOS =
            Stream.of(
                            EndingScenarios.all(),
                            FailureScenarios.all(),
                            AffinityScenarios.all(),
                            ChangeScenarios.all(),
                            PathScenarios.all())
                    .flatMap(List::stream)
                    .toList();

    private final Map<Subject, List<Observation>> seen = new EnumMap<>(Subject.class);

    /** Who is looked at. Immutable; any thread. */
    enum Subject {
        USERSPACE("kube-proxy 1.20.2, userspace"),
        IPTABLES("kube-proxy 1.20.2, iptables"),
        SLUICE("Sluice");

        private final String title;

        Subject(String title) {
            this.title = title;
        }

        private NodeProxy on(Lab lab) throws Exception {
            return switch (this) {
                case USERSPACE -> new KubeProxyOnNode(lab, "userspace");
                case IPTABLES -> new KubeProxyOnNode(lab, "iptables");
                // As the DaemonSet has it: the rules stay while the proxy is exchanged.
                case SLUICE -> new SluiceOnNode(lab, "--set", "shutdown.keep-rules=true");
            };
        }
    }

    /** Plays all scenarios with one of them; what was seen by title of the scenario. */
    Map<String, Observation> play(Subject subject) throws Exception {
        Map<String, Observation> column = new LinkedHashMap<>();
        try (Lab lab = new Lab(Map.of());
                NodeProxy proxy = subject.on(lab)) {
            lab.controlPlane().apply(Rbac.manifest());
            proxy.start();
            Bench bench = new Bench(lab, proxy);
            for (Scenario scenario : SCENARIOS) {
                lab.resetPods();
                Observation observation = scenario.script().play(bench);
                log.info("{}: {}: {}", subject.title, scenario.title(), observation.words());
                column.put(scenario.title(), observation);
            }
        }
        seen.put(subject, List.copyOf(column.values()));
        return column;
    }

    /** The table in Markdown; a column for each that was played, bold where not transparent. */
    String table() {
        List<String> lines = new ArrayList<>();
        lines.add(row("", seen.keySet().stream().map(subject -> subject.title)));
        lines.add(row("---", seen.keySet().stream().map(subject -> "---")));
        for (int i = 0; i < SCENARIOS.size(); i++) {
            int row = i;
            lines.add(
                    row(
                            SCENARIOS.get(i).title(),
                            seen.values().stream().map(column -> cell(column.get(row)))));
        }
        return String.join("\n", lines) + "\n";
    }

    private static String cell(Observation observation) {
        return observation.transparent() ? observation.words() : "**" + observation.words() + "**";
    }

    private static String row(String first, Stream<String> others) {
        return Stream.concat(Stream.of(first), others)
                .collect(Collectors.joining(" | ", "| ", " |"));
    }
}
