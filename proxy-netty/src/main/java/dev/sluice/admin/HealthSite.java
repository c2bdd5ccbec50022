package dev.sluice.admin;

import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.net.InetAddress;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/**
 * {@code /healthz} and {@code /livez} to the letter of kube-proxy's health server, which load
 * balancers of cloud providers ask about Services that any node may serve (KEP-3836). The node
 * counts for the first only: that a node is about to go is no reason to restart the proxy on it.
 *
 * <p>Threads: the health loop only.
 */
final class HealthSite implements Site {
    private final ProxyHealth health;
    private final CodeCounts healthz = new CodeCounts();
    private final CodeCounts livez = new CodeCounts();

    HealthSite(ProxyHealth health) {
        this.health = health;
    }

    CodeCounts healthz() {
        return healthz;
    }

    CodeCounts livez() {
        return livez;
    }

    @Override
    public CompletionStage<Reply> reply(HttpRequest request, InetAddress local) {
        return answer(new QueryStringDecoder(request.uri()).path()).now();
    }

    private Reply answer(String path) {
        ProxyHealth.Verdict now = health.now();
        return switch (path) {
            case "/healthz" ->
                    Reply.json(
                            healthz.count(now.eligible()),
                            Map.of(),
                            times(now, now.eligible())
                                    + ", \"nodeEligible\": "
                                    + now.nodeEligible()
                                    + "}");
            case "/livez" ->
                    Reply.json(livez.count(now.alive()), Map.of(), times(now, now.alive()) + "}");
            default -> Reply.text(HttpResponseStatus.NOT_FOUND, "404 page not found\n");
        };
    }

    // Clients of old look at the age of lastUpdated, which must not grow while all is well.
    private static String times(ProxyHealth.Verdict now, boolean healthy) {
        String lastUpdated =
                GoTime.text(healthy ? now.time() : now.lastApplied().orElse(GoTime.ZERO));
        return "{\"lastUpdated\": \""
                + lastUpdated
                + "\",\"currentTime\": \""
                + GoTime.text(now.time())
                + "\"";
    }
}
