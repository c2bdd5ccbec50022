package dev.sluice.redirect;

import dev.sluice.benchmark.ManyServices;
import dev.sluice.model.FrontEnd;
import dev.sluice.model.IpAddress;
import dev.sluice.model.Protocol;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** The text of the nat table of one family, read, wanted and compared. Threads: JMH's. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class NatTableBenchmark {
    private static final int FIRST_LOCAL_PORT = 10000;

    /** One of each Service. */
    @Param({"2000", "10000"})
    public int frontEnds;

    private NatTargets targets;
    private TableRules wanted;
    private TableRules oneMore;
    private String text = "";
    private SavedTable saved;

    /** Makes the rules, and the text in which iptables-save shows them. */
    @Setup
    public void setUp() {
        targets = targets(frontEnds);
        wanted = rules(targets);
        oneMore = rules(targets(frontEnds + 1));
        text = text(wanted);
        saved = parsed(text);
    }

    private static NatTargets targets(int count) {
        SortedMap<FrontEnd, RedirectTarget> redirects = new TreeMap<>();
        for (int i = 0; i < count; i++) {
            redirects.put(
                    new FrontEnd(ManyServices.clusterIp(i), 80, Protocol.TCP),
                    RedirectTarget.port(FIRST_LOCAL_PORT + i));
        }
        return new NatTargets(redirects, Optional.empty());
    }

    private static TableRules rules(NatTargets targets) {
        return NatRules.of(targets, List.of("eth0"), Optional.of(IpAddress.parse("192.0.2.10")));
    }

    private static String text(TableRules rules) {
        StringBuilder text = new StringBuilder("*nat\n");
        Map<String, List<String>> chains = SavedTable.of(rules).chains();
        chains.keySet().forEach(chain -> text.append(':').append(chain).append(" - [0:0]\n"));
        chains.forEach(
                (chain, all) ->
                        all.forEach(
                                rule ->
                                        text.append("-A ")
                                                .append(chain)
                                                .append(' ')
                                                .append(rule)
                                                .append('\n')));
        return text.append("COMMIT\n").toString();
    }

    private static SavedTable parsed(String text) {
        return SavedTable.parse(text).getOrDefault("nat", SavedTable.EMPTY);
    }

    /** From front ends to rules. */
    @Benchmark
    public Object rules() {
        return rules(targets);
    }

    /** From the output of iptables-save to a table. */
    @Benchmark
    public Object parse() {
        return parsed(text);
    }

    /** What the rules that an earlier process left lead away. */
    @Benchmark
    public Object led() {
        return saved.led();
    }

    /** The comparison that finds everything in place. */
    @Benchmark
    public Optional<String> patchOfNothing() {
        return TablePatch.between(saved, wanted);
    }

    /** A Service more. */
    @Benchmark
    public Optional<String> patchOfOne() {
        return TablePatch.between(saved, oneMore);
    }

    /** All rules at once. */
    @Benchmark
    public Optional<String> patchOfAll() {
        return TablePatch.between(SavedTable.EMPTY, wanted);
    }

    /** Whether the rules are in force, among what else there may be. */
    @Benchmark
    public boolean isWithin() {
        return TablePatch.isWithin(saved, wanted);
    }
}
