package dev.sluice.admin;

import dev.sluice.admin.Families.Sample;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/**
 * How often a health page has answered with which code.
 *
 * <p>Threads: any.
 */
final class CodeCounts {
    private final LongAdder ok = new LongAdder();
    private final LongAdder unavailable = new LongAdder();

    /** Counts an answer and gives its status: 200 or 503. */
    HttpResponseStatus count(boolean healthy) {
        (healthy ? ok : unavailable).increment();
        return status(healthy);
    }

    static HttpResponseStatus status(boolean healthy) {
        return healthy ? HttpResponseStatus.OK : HttpResponseStatus.SERVICE_UNAVAILABLE;
    }

    /** One series a code. */
    List<Sample> samples() {
        return List.of(
                new Sample(Labels.of("code", "200"), ok.sum()),
                new Sample(Labels.of("code", "503"), unavailable.sum()));
    }
}
