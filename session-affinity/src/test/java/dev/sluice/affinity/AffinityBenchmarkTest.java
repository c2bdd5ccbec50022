package dev.sluice.affinity;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collection;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** The benchmark is run by hand, so that it still works is seen here; figures mean nothing. */
class AffinityBenchmarkTest {
    @Test
    void theBenchmarkRunsWithAFewClients() throws RunnerException {
        Collection<RunResult> results =
                new Runner(
                                new OptionsBuilder()
                                        .include(AffinityBenchmark.class.getName())
                                        .param("clients", "40")
                                        .forks(0)
                                        .warmupIterations(0)
                                        .measurementIterations(1)
                                        .measurementTime(TimeValue.milliseconds(10))
                                        .shouldFailOnError(true)
                                        .verbosity(VerboseMode.SILENT)
                                        .build())
                        .run();

        assertThat(results)
                .isNotEmpty()
                .allSatisfy(
                        result -> assertThat(result.getPrimaryResult().getScore()).isPositive());
    }
}
