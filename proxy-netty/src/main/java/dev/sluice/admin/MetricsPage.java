package dev.sluice.admin;

import dev.sluice.affinity.AffinitySelectorFactory;
import dev.sluice.control.Reconciler;
import dev.sluice.control.ServiceSource;
import dev.sluice.netty.ServedPort;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.ExpositionFormats;
import io.prometheus.metrics.instrumentation.jvm.JvmBufferPoolMetrics;
import io.prometheus.metrics.instrumentation.jvm.JvmGarbageCollectorMetrics;
import io.prometheus.metrics.instrumentation.jvm.JvmMemoryMetrics;
import io.prometheus.metrics.instrumentation.jvm.ProcessMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * {@code /metrics}, in the format of Prometheus that the client asks for.
 *
 * <p>Threads: the admin loop only.
 */
final class MetricsPage implements Page {
    private final FreshTraffic traffic;
    private final Reconciler reconciler;
    private final ServiceSource source;
    private final Optional<HealthServers> health;
    private final ServiceMetrics services;
    private final ExpositionFormats formats = ExpositionFormats.init();
    private final PrometheusRegistry process = new PrometheusRegistry();

    MetricsPage(
            FreshTraffic traffic,
            Reconciler reconciler,
            ServiceSource source,
            AffinitySelectorFactory affinity,
            Optional<HealthServers> health) {
        this.traffic = traffic;
        this.reconciler = reconciler;
        this.source = source;
        this.health = health;
        this.services = new ServiceMetrics(affinity);
        // Only what is read at a scrape: others add listeners to the JVM that outlive the proxy.
        ProcessMetrics.builder().register(process);
        JvmMemoryMetrics.builder().register(process);
        JvmBufferPoolMetrics.builder().register(process);
        JvmGarbageCollectorMetrics.builder().register(process);
    }

    @Override
    public CompletionStage<Reply> reply(PageRequest request) {
        request.allowOnly();
        // The library takes null for no preference.
        ExpositionFormatWriter format = formats.findWriter(request.accept().orElse(null));
        return traffic.reply(() -> scrape(format));
    }

    private Reply scrape(ExpositionFormatWriter format) {
        Families families = new Families();
        List<ServedPort> served = traffic.traffic().servedPorts();
        ConnectionMetrics.add(families, traffic.traffic(), served);
        services.add(families, traffic.traffic(), served);
        ControlMetrics.add(families, reconciler.status(), reconciler.syncs(), source.watches());
        KubeProxyMetrics.add(families, reconciler.syncs(), source.changes(), served);
        RuleMetrics.add(families, reconciler.ruleCounts());
        health.ifPresent(servers -> KubeProxyMetrics.addHealth(families, servers.site()));
        process.scrape().forEach(families.all()::add);
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        try {
            format.write(text, new MetricSnapshots(families.all()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new Reply(HttpResponseStatus.OK, format.getContentType(), text.toByteArray());
    }
}
