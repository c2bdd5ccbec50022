package dev.sluice.admin;

import dev.sluice.model.HealthCheck;
import io.netty.handler.codec.http.HttpRequest;
import java.net.InetAddress;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import tools.jackson.core.io.JsonStringEncoder;

/**
 * What load balancers are told about one Service, to the letter of kube-proxy and whatever they
 * ask: whether this node has endpoints of it, and how many.
 *
 * <p>Threads: set by the control thread, asked on the health loop.
 */
final class HealthCheckSite implements Site {
    private final ProxyHealth health;
    private volatile HealthCheck check;

    HealthCheckSite(HealthCheck check, ProxyHealth health) {
        this.check = check;
        this.health = health;
    }

    HealthCheck check() {
        return check;
    }

    /** Another number of endpoints. */
    void set(HealthCheck now) {
        check = now;
    }

    /** Whether the listeners of this one are those of the other. */
    boolean isServedAt(HealthCheck other) {
        return check.port() == other.port() && check.addresses().equals(other.addresses());
    }

    @Override
    public CompletionStage<Reply> reply(HttpRequest request, InetAddress local) {
        HealthCheck now = check;
        boolean healthy = health.now().healthy();
        return Reply.json(
                        CodeCounts.status(healthy && now.localEndpoints() > 0),
                        Map.of(
                                "X-Load-Balancing-Endpoint-Weight",
                                Integer.toString(now.localEndpoints())),
                        """
                        {
                        \t"service": {
                        \t\t"namespace": "%s",
                        \t\t"name": "%s"
                        \t},
                        \t"localEndpoints": %d,
                        \t"serviceProxyHealthy": %b
                        }"""
                                .formatted(
                                        quoted(now.service().namespace()),
                                        quoted(now.service().name()),
                                        now.localEndpoints(),
                                        healthy))
                .now();
    }

    private static String quoted(String text) {
        return new String(JsonStringEncoder.getInstance().quoteAsCharArray(text));
    }
}
