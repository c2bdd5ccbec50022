package dev.sluice.balance;

import dev.sluice.benchmark.ManyServices;
import dev.sluice.model.Endpoint;
import dev.sluice.model.IpAddress;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;

/** What a connection pays for the choice of its endpoint. Threads: JMH's. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class RoundRobinBenchmark {
    private static final IpAddress CLIENT = IpAddress.parse("192.0.2.1");

    /** Of the Service port. */
    @Param({"1", "3", "1000"})
    public int endpoints;

    private BackendSelector selector;
    private Set<Endpoint> tried;

    /** Makes the selector; one endpoint has failed. */
    @Setup
    public void setUp() {
        List<Endpoint> all = new ManyServices(1, endpoints).endpoints(0);
        selector = new RoundRobinSelector(all, new RoundRobinPosition(new SplittableRandom(1)));
        tried = Set.of(all.get(0));
    }

    /** The first dial of a connection. */
    @Benchmark
    public Optional<Endpoint> firstTry() {
        return selector.select(CLIENT, Set.of());
    }

    /** The same on two event loops at once, which share the position. */
    @Benchmark
    @Threads(2)
    public Optional<Endpoint> firstTryOnTwoLoops() {
        return selector.select(CLIENT, Set.of());
    }

    /** The second dial of a connection. */
    @Benchmark
    public Optional<Endpoint> retry() {
        return selector.select(CLIENT, tried);
    }
}
