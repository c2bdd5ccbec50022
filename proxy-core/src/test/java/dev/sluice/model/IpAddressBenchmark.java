package dev.sluice.model;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** What is done to each address of each object and rule. Threads: JMH's. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class IpAddressBenchmark {
    private String text4 = "10.244.113.207";
    private String text6 = "fd00:10:244:7::1f:a3";
    private IpAddress address4 = IpAddress.parse(text4);
    private IpAddress address6 = IpAddress.parse(text6);

    /** Reads {@code 10.244.113.207}. */
    @Benchmark
    public IpAddress parse4() {
        return IpAddress.parse(text4);
    }

    /** Reads {@code fd00:10:244:7::1f:a3}. */
    @Benchmark
    public IpAddress parse6() {
        return IpAddress.parse(text6);
    }

    /** Writes {@code 10.244.113.207}. */
    @Benchmark
    public String write4() {
        return address4.toString();
    }

    /** Writes {@code fd00:10:244:7::1f:a3}. */
    @Benchmark
    public String write6() {
        return address6.toString();
    }
}
