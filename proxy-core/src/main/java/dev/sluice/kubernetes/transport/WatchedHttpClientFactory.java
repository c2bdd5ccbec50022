package dev.sluice.kubernetes.transport;

import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientFactory;
import java.net.http.HttpClient;

/**
 * Gives a Kubernetes client the transport of this package.
 *
 * <p>A redirect is never followed: the token would go with it to wherever the answer says. HTTP/1.1
 * is spoken, since the JDK's client does not repeat a request that a GOAWAY of HTTP/2 cut off.
 *
 * <p>Threads: any.
 */
public final class WatchedHttpClientFactory extends JdkHttpClientFactory {
    private final ApiTraffic traffic;

    /**
     * @param traffic told of all that the clients of this factory send and receive
     */
    public WatchedHttpClientFactory(ApiTraffic traffic) {
        this.traffic = traffic;
    }

    @Override
    protected HttpClient.Builder createNewHttpClientBuilder() {
        return new WatchedHttpClientBuilder(super.createNewHttpClientBuilder(), traffic);
    }

    @Override
    protected void additionalConfig(HttpClient.Builder builder) {
        builder.followRedirects(HttpClient.Redirect.NEVER).version(HttpClient.Version.HTTP_1_1);
    }
}
