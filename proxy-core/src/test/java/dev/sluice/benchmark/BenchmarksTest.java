package dev.sluice.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collection;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Benchmarks are run by hand, so that they still work is seen here; figures are of no meaning. */
class BenchmarksTest {
    @Test
    void eachBenchmarkRunsOverASmallCluster() throws RunnerException {
        Collection<RunResult> results =
                new Runner(
                                new OptionsBuilder()
                                        .param("cluster", "20x3")
                                        .param("frontEnds", "40")
                                        .param("endpoints", "3")
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
