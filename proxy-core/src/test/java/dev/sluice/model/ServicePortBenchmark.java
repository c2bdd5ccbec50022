package dev.sluice.model;

import dev.sluice.benchmark.ManyServices;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** What the control path asks each Service port whenever it changes. Threads: JMH's. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ServicePortBenchmark {
    /** Of the Service port. */
    @Param({"1", "10", "1000"})
    public int endpoints;

    private ServicePort servicePort;

    /** Makes a Service port whose endpoints are all IPv4. */
    @Setup
    public void setUp() {
        servicePort = ManyServices.servicePort(0, new ManyServices(1, endpoints).endpoints(0));
    }

    /** To serve: the first endpoint decides. */
    @Benchmark
    public Answer answerOfAFamilyWithEndpoints() {
        return servicePort.answer(FrontEndKind.CLUSTER_IP, IpFamily.IPV4, ClientPlace.ELSEWHERE);
    }

    /** To refuse: no endpoint is of the family. */
    @Benchmark
    public Answer answerOfAFamilyWithout() {
        return servicePort.answer(FrontEndKind.CLUSTER_IP, IpFamily.IPV6, ClientPlace.ELSEWHERE);
    }

    /** All front ends, of which this one has a single one. */
    @Benchmark
    public Map<FrontEnd, FrontEndKind> kinds() {
        return servicePort.kinds();
    }
}
