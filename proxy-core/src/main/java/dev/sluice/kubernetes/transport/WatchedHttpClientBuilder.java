package dev.sluice.kubernetes.transport;

import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.ProxySelector;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

/**
 * Builds a {@link WatchedHttpClient}.
 *
 * <p>Threads: one.
 */
final class WatchedHttpClientBuilder implements HttpClient.Builder {
    private final HttpClient.Builder builder;
    private final ApiTraffic traffic;

    WatchedHttpClientBuilder(HttpClient.Builder builder, ApiTraffic traffic) {
        this.builder = builder;
        this.traffic = traffic;
    }

    @Override
    public HttpClient build() {
        return new WatchedHttpClient(builder.build(), traffic);
    }

    @Override
    public HttpClient.Builder cookieHandler(CookieHandler cookieHandler) {
        builder.cookieHandler(cookieHandler);
        return this;
    }

    @Override
    public HttpClient.Builder connectTimeout(Duration duration) {
        builder.connectTimeout(duration);
        return this;
    }

    @Override
    public HttpClient.Builder sslContext(SSLContext sslContext) {
        builder.sslContext(sslContext);
        return this;
    }

    @Override
    public HttpClient.Builder sslParameters(SSLParameters sslParameters) {
        builder.sslParameters(sslParameters);
        return this;
    }

    @Override
    public HttpClient.Builder executor(Executor executor) {
        builder.executor(executor);
        return this;
    }

    @Override
    public HttpClient.Builder followRedirects(HttpClient.Redirect policy) {
        builder.followRedirects(policy);
        return this;
    }

    @Override
    public HttpClient.Builder version(HttpClient.Version version) {
        builder.version(version);
        return this;
    }

    @Override
    public HttpClient.Builder priority(int priority) {
        builder.priority(priority);
        return this;
    }

    @Override
    public HttpClient.Builder proxy(ProxySelector proxySelector) {
        builder.proxy(proxySelector);
        return this;
    }

    @Override
    public HttpClient.Builder authenticator(Authenticator authenticator) {
        builder.authenticator(authenticator);
        return this;
    }
}
