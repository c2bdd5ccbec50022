package dev.sluice.admin;

import dev.sluice.stats.DurationHistogram;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * The metric families of one scrape. A family without samples is left out.
 *
 * <p>Threads: one.
 */
final class Families {
    private static final double NANOS_PER_SECOND = 1e9;

    /** One series of a family. */
    record Sample(Labels labels, double value) {
        /** A count, exact up to 2^53. */
        Sample(Labels labels, long count) {
            this(labels, (double) count);
        }
    }

    private final List<MetricSnapshot> all = new ArrayList<>();

    List<MetricSnapshot> all() {
        return all;
    }

    /**
     * What only ever grows.
     *
     * @param name without the suffix {@code _total}, which is added
     */
    void counter(String name, String help, long value) {
        counter(name, help, List.of(new Sample(Labels.EMPTY, value)));
    }

    /** The same with labels. */
    void counter(String name, String help, List<Sample> samples) {
        if (!samples.isEmpty()) {
            CounterSnapshot.Builder family = CounterSnapshot.builder().name(name).help(help);
            for (Sample sample : samples) {
                family.dataPoint(
                        CounterDataPointSnapshot.builder()
                                .labels(sample.labels())
                                .value(sample.value())
                                .build());
            }
            all.add(family.build());
        }
    }

    /** A number of something that goes up and down. */
    void gauge(String name, String help, long value) {
        gauge(name, help, (double) value);
    }

    /** What goes up and down. */
    void gauge(String name, String help, double value) {
        gauge(name, help, List.of(new Sample(Labels.EMPTY, value)));
    }

    /** The same with labels. */
    void gauge(String name, String help, List<Sample> samples) {
        if (!samples.isEmpty()) {
            GaugeSnapshot.Builder family = GaugeSnapshot.builder().name(name).help(help);
            for (Sample sample : samples) {
                family.dataPoint(
                        GaugeDataPointSnapshot.builder()
                                .labels(sample.labels())
                                .value(sample.value())
                                .build());
            }
            all.add(family.build());
        }
    }

    /** How long something took, in seconds. */
    void histogram(String name, String help, DurationHistogram.Snapshot durations) {
        all.add(
                HistogramSnapshot.builder()
                        .name(name)
                        .help(help)
                        .dataPoint(point(Labels.EMPTY, durations))
                        .build());
    }

    /** The same for each of some things, which a label tells apart. */
    <T> void histogram(
            String name,
            String help,
            String label,
            List<T> things,
            Function<T, String> labelOf,
            Function<T, DurationHistogram.Snapshot> durationsOf) {
        if (!things.isEmpty()) {
            HistogramSnapshot.Builder family = HistogramSnapshot.builder().name(name).help(help);
            for (T thing : things) {
                family.dataPoint(
                        point(Labels.of(label, labelOf.apply(thing)), durationsOf.apply(thing)));
            }
            all.add(family.build());
        }
    }

    private static HistogramDataPointSnapshot point(
            Labels labels, DurationHistogram.Snapshot durations) {
        ClassicHistogramBuckets.Builder buckets = ClassicHistogramBuckets.builder();
        for (int i = 0; i < durations.counts().size(); i++) {
            boolean isLast = i == durations.bounds().size();
            buckets.bucket(
                    isLast ? Double.POSITIVE_INFINITY : seconds(durations.bounds().get(i)),
                    durations.counts().get(i));
        }
        return HistogramDataPointSnapshot.builder()
                .labels(labels)
                .classicHistogramBuckets(buckets.build())
                .sum(seconds(durations.sum()))
                .build();
    }

    static double seconds(Duration duration) {
        return duration.toNanos() / NANOS_PER_SECOND;
    }
}
