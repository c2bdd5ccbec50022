package dev.sluice.affinity;

import com.github.benmanes.caffeine.cache.Scheduler;
import com.github.benmanes.caffeine.cache.Ticker;
import dev.sluice.balance.BackendSelector;
import dev.sluice.balance.RoundRobinSelectorFactory;
import dev.sluice.config.ProxyConfig;
import dev.sluice.model.Endpoint;
import dev.sluice.model.EndpointSet;
import dev.sluice.model.IpAddress;
import dev.sluice.model.IpFamily;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;

/** What a connection to a Service with ClientIP affinity pays for its endpoint. Threads: JMH's. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class AffinityBenchmark {
    private static final long TIMEOUT_SECONDS = 10_800;
    private static final int ENDPOINTS = 10;

    /** Who have a pin; as many as there may be, so that a new one takes the place of another. */
    @Param("100000")
    public int clients;

    private BackendSelector selector;
    private IpAddress[] pinned;

    /** Pins every client. */
    @Setup(Level.Iteration)
    public void setUp() {
        selector =
                new AffinitySelectorFactory(
                                new RoundRobinSelectorFactory(new SplittableRandom(1)),
                                new ProxyConfig.Affinity(clients),
                                Ticker.systemTicker(),
                                Scheduler.systemScheduler())
                        .selector(
                                AffinityFixture.port(
                                        AffinityFixture.WEB,
                                        "10.96.0.1",
                                        AffinityFixture.clientIp(TIMEOUT_SECONDS),
                                        AffinityFixture.endpoints(ENDPOINTS)),
                                EndpointSet.CLUSTER,
                                IpFamily.IPV4);
        pinned =
                IntStream.range(0, clients)
                        .mapToObj(AffinityFixture::client)
                        .toArray(IpAddress[]::new);
        for (IpAddress client : pinned) {
            selector.select(client, Set.of());
        }
    }

    /** Whose turn it is, in one thread. */
    @State(Scope.Thread)
    public static class Turn {
        private int next;

        int next(int clients) {
            next = next + 1 < clients ? next + 1 : 0;
            return next;
        }
    }

    /** A client that comes back. */
    @Benchmark
    public Optional<Endpoint> known(Turn turn) {
        return selector.select(pinned[turn.next(clients)], Set.of());
    }

    /** The same on two event loops at once. */
    @Benchmark
    @Threads(2)
    public Optional<Endpoint> knownOnTwoLoops(Turn turn) {
        return selector.select(pinned[turn.next(clients)], Set.of());
    }

    /** A client that has not been here, or was forgotten long ago; its address is made as well. */
    @Benchmark
    public Optional<Endpoint> unknown(Turn turn) {
        return selector.select(
                AffinityFixture.client(clients + turn.next(Integer.MAX_VALUE - clients)), Set.of());
    }
}
