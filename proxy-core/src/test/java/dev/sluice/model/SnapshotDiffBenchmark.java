package dev.sluice.model;

import dev.sluice.benchmark.ManyServices;
import java.util.List;
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

/** What each run of the reconciler pays to find what has changed. Threads: JMH's. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class SnapshotDiffBenchmark {
    /** Services and endpoints of each. */
    @Param({"2000x5", "10000x10"})
    public String cluster = "";

    private SortedMap<ServicePortName, ServicePort> applied;
    private SortedMap<ServicePortName, ServicePort> desired;

    /** Makes two snapshots that share all but one Service port, as those of one builder do. */
    @Setup
    public void setUp() {
        ManyServices all = ManyServices.parse(cluster);
        applied = all.servicePorts();
        desired = new TreeMap<>(applied);
        int middle = all.services() / 2;
        List<Endpoint> endpoints = all.endpoints(middle);
        ServicePort changed =
                ManyServices.servicePort(middle, endpoints.subList(1, endpoints.size()));
        desired.put(changed.name(), changed);
    }

    /** One Service port has lost an endpoint. */
    @Benchmark
    public SnapshotDiff oneUpdated() {
        return SnapshotDiff.between(applied, desired);
    }

    /** The first run of a process. */
    @Benchmark
    public SnapshotDiff allAdded() {
        return SnapshotDiff.between(new TreeMap<>(), desired);
    }
}
