package dev.sluice.kubernetes.transport;

import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Opens watches whose health is told.
 *
 * <p>Threads: one.
 */
final class WatchedWebSocketBuilder implements WebSocket.Builder {
    private static final int OK = 200;
    private static final int SERVICE_UNAVAILABLE = 503;

    private final WebSocket.Builder builder;
    private final ApiTraffic traffic;

    WatchedWebSocketBuilder(WebSocket.Builder builder, ApiTraffic traffic) {
        this.builder = builder;
        this.traffic = traffic;
    }

    @Override
    public WebSocket.Builder header(String name, String value) {
        builder.header(name, value);
        return this;
    }

    @Override
    public WebSocket.Builder connectTimeout(Duration timeout) {
        builder.connectTimeout(timeout);
        return this;
    }

    @Override
    public WebSocket.Builder subprotocols(String mostPreferred, String... lesserPreferred) {
        builder.subprotocols(mostPreferred, lesserPreferred);
        return this;
    }

    @Override
    public CompletableFuture<WebSocket> buildAsync(URI uri, WebSocket.Listener listener) {
        WatchHealth health = traffic.watch(uri.getPath());
        WatchStream stream = new WatchStream(listener, health, traffic);
        return traffic.send(health.pause(), () -> builder.buildAsync(uri, stream))
                .exceptionallyCompose(
                        failure ->
                                CompletableFuture.failedFuture(told(health, unwrapped(failure))));
    }

    /**
     * Tells of a watch that did not open; returns what the client shall see of it. On a 200, a 503
     * and all that is no answer at all, the client would go on without a WebSocket, and so without
     * pings, unless it gets an exception of its own kind.
     */
    private Throwable told(WatchHealth health, Throwable failure) {
        if (!(failure instanceof WebSocketHandshakeException refused)
                || refused.getResponse() == null) {
            String reason = ApiFailures.describe(failure);
            health.notOpened(reason);
            return new KubernetesClientException(reason, failure);
        }
        HttpResponse<?> response = refused.getResponse();
        int status = response.statusCode();
        String reason = "the watch was refused with HTTP status " + status;
        traffic.answered(status, response.headers());
        health.refused(reason, status, traffic.now());
        return status == OK || status == SERVICE_UNAVAILABLE
                ? new KubernetesClientException(reason)
                : failure;
    }

    private static Throwable unwrapped(Throwable failure) {
        Throwable cause = failure.getCause();
        return failure instanceof CompletionException && cause != null ? cause : failure;
    }
}
