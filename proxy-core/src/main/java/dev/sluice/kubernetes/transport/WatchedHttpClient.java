package dev.sluice.kubernetes.transport;

import java.io.IOException;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.ProxySelector;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.PushPromiseHandler;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/**
 * A client of the JDK that keeps pauses and tells how its watches are.
 *
 * <p>Threads: any.
 */
final class WatchedHttpClient extends HttpClient {
    private final HttpClient client;
    private final ApiTraffic traffic;

    WatchedHttpClient(HttpClient client, ApiTraffic traffic) {
        this.client = client;
        this.traffic = traffic;
    }

    @Override
    public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> handler)
            throws IOException, InterruptedException {
        HttpResponse<T> response = client.send(request, bounded(handler));
        traffic.answered(response.statusCode(), response.headers());
        return response;
    }

    @Override
    public <T> CompletableFuture<HttpResponse<T>> sendAsync(
            HttpRequest request, BodyHandler<T> handler) {
        return send(() -> client.sendAsync(request, bounded(handler)));
    }

    @Override
    public <T> CompletableFuture<HttpResponse<T>> sendAsync(
            HttpRequest request,
            BodyHandler<T> handler,
            @Nullable PushPromiseHandler<T> pushHandler) {
        return send(() -> client.sendAsync(request, bounded(handler), pushHandler));
    }

    private <T> BodyHandler<T> bounded(BodyHandler<T> handler) {
        return response -> new BoundedBody<>(handler.apply(response), traffic);
    }

    private <T> CompletableFuture<HttpResponse<T>> send(
            Supplier<CompletableFuture<HttpResponse<T>>> request) {
        return traffic.send(request)
                .thenApply(
                        response -> {
                            traffic.answered(response.statusCode(), response.headers());
                            return response;
                        });
    }

    @Override
    public WebSocket.Builder newWebSocketBuilder() {
        return new WatchedWebSocketBuilder(client.newWebSocketBuilder(), traffic);
    }

    @Override
    public Optional<CookieHandler> cookieHandler() {
        return client.cookieHandler();
    }

    @Override
    public Optional<Duration> connectTimeout() {
        return client.connectTimeout();
    }

    @Override
    public Redirect followRedirects() {
        return client.followRedirects();
    }

    @Override
    public Optional<ProxySelector> proxy() {
        return client.proxy();
    }

    @Override
    public SSLContext sslContext() {
        return client.sslContext();
    }

    @Override
    public SSLParameters sslParameters() {
        return client.sslParameters();
    }

    @Override
    public Optional<Authenticator> authenticator() {
        return client.authenticator();
    }

    @Override
    public Version version() {
        return client.version();
    }

    @Override
    public Optional<Executor> executor() {
        return client.executor();
    }
}
