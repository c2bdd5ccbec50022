package dev.sluice.kubernetes.transport;

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
                .whenComplete(
                        (opened, failure) -> {
                            if (failure != null) {
                                notOpened(health, unwrapped(failure));
                            }
                        });
    }

    private void notOpened(WatchHealth health, Throwable failure) {
        if (failure instanceof WebSocketHandshakeException refused
                && refused.getResponse() != null) {
            HttpResponse<?> response = refused.getResponse();
            traffic.answered(response.statusCode(), response.headers());
            health.notOpened(
                    "the watch was refused with HTTP status " + response.statusCode(),
                    response.statusCode());
        } else {
            health.notOpened(ApiFailures.describe(failure), 0);
        }
    }

    private static Throwable unwrapped(Throwable failure) {
        Throwable cause = failure.getCause();
        return failure instanceof CompletionException && cause != null ? cause : failure;
    }
}
