/**
 * What the benchmarks of single parts share, and the test that runs each of them once. A benchmark
 * stands in the package of its part, as {@code XBenchmark}.
 *
 * <p>Entry type: {@link dev.sluice.benchmark.ManyServices}. Threads: JMH's.
 */
@NullMarked
package dev.sluice.benchmark;

import org.jspecify.annotations.NullMarked;
