package dev.sluice.kubernetes;

import dev.sluice.config.InvalidConfigException;
import dev.sluice.config.ProxyConfig;
import dev.sluice.config.ServerAddress;
import dev.sluice.kubernetes.Kubeconfig.ForeignCredentials;
import dev.sluice.kubernetes.transport.ApiFailures;
import dev.sluice.kubernetes.transport.ApiTraffic;
import dev.sluice.kubernetes.transport.WatchedHttpClientFactory;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * A client of the API server, and where that is.
 *
 * <p>Where it is and who the program is: the setting {@code api-server}, else the kubeconfig, else
 * what the kubelet puts into a pod. Proxies of the environment are not used.
 *
 * <p>Threads: any.
 */
public final class ApiServer implements AutoCloseable {
    private static final Path POD_CREDENTIALS =
            Path.of("/var/run/secrets/kubernetes.io/serviceaccount");

    private final URI address;
    private final ApiPace pace;
    private final ApiTraffic traffic;
    private final KubernetesClient client;

    private ApiServer(Config config, ApiPace pace) {
        this.pace = pace;
        address = URI.create(config.getMasterUrl());
        traffic =
                new ApiTraffic(
                        System::nanoTime,
                        pace.answerLimit(),
                        pace.silenceLimit(),
                        pace.shortestPause(),
                        pace.longestPause());
        client =
                new KubernetesClientBuilder()
                        .withConfig(config)
                        .withHttpClientFactory(new WatchedHttpClientFactory(traffic))
                        .build();
    }

    /**
     * Prepares a client; nothing is sent yet.
     *
     * @param environment of the process, in which the kubelet names the API server
     * @throws InvalidConfigException if it is not known where the API server is, or a file that was
     *     named can't be used
     */
    public static ApiServer of(ProxyConfig.Kubernetes settings, Map<String, String> environment) {
        return of(settings, environment, POD_CREDENTIALS, ApiPace.STANDARD);
    }

    static ApiServer of(
            ProxyConfig.Kubernetes settings,
            Map<String, String> environment,
            Path podCredentials,
            ApiPace pace) {
        Config config = config(settings, environment, podCredentials);
        try {
            return new ApiServer(paced(config, pace), pace);
        } catch (KubernetesClientException e) {
            throw new InvalidConfigException(
                    "the settings in sluice.kubernetes, or the files they name, can't be used: "
                            + ApiFailures.describe(e),
                    e);
        }
    }

    /** Where the API server of the pod is, if this is one. */
    public static Optional<URI> inPod(Map<String, String> environment) {
        @Nullable String host = environment.get("KUBERNETES_SERVICE_HOST");
        if (host == null || host.isEmpty()) {
            return Optional.empty();
        }
        String port = environment.getOrDefault("KUBERNETES_SERVICE_PORT", "443");
        String literal = host.contains(":") ? "[" + host + "]" : host;
        try {
            return Optional.of(ServerAddress.parse("https://" + literal + ":" + port));
        } catch (IllegalArgumentException e) {
            throw new InvalidConfigException(
                    "KUBERNETES_SERVICE_HOST '"
                            + host
                            + "' and KUBERNETES_SERVICE_PORT '"
                            + port
                            + "' are no address of an API server",
                    e);
        }
    }

    /** Where requests go. */
    public URI address() {
        return address;
    }

    ApiPace pace() {
        return pace;
    }

    KubernetesClient client() {
        return client;
    }

    ApiTraffic traffic() {
        return traffic;
    }

    @Override
    public void close() {
        traffic.giveUpAnswers();
        client.close();
    }

    private static Config config(
            ProxyConfig.Kubernetes settings, Map<String, String> environment, Path podCredentials) {
        Optional<Kubeconfig> kubeconfig =
                settings.kubeconfig()
                        .map(
                                path ->
                                        Kubeconfig.read(
                                                path,
                                                settings.allowExec()
                                                        ? ForeignCredentials.FOLLOWED
                                                        : ForeignCredentials.REFUSED));
        Config config = kubeconfig.map(Kubeconfig::config).orElseGet(Config::empty);
        Optional<Path> pod =
                kubeconfig.isPresent() ? Optional.empty() : Optional.of(podCredentials);
        config.setMasterUrl(address(settings, kubeconfig, config, environment).toString());

        settings.caFile()
                .or(() -> inside(pod, "ca.crt"))
                .map(CaFile::checked)
                .ifPresent(
                        file -> {
                            config.setCaCertData(null);
                            config.setCaCertFile(file.toString());
                            config.setTrustCerts(false);
                        });
        settings.tokenFile()
                .or(() -> kubeconfig.flatMap(Kubeconfig::tokenFile))
                .or(() -> inside(pod, "token"))
                .ifPresent(file -> config.setOauthTokenProvider(new TokenFile(file)));
        return config;
    }

    private static URI address(
            ProxyConfig.Kubernetes settings,
            Optional<Kubeconfig> kubeconfig,
            Config config,
            Map<String, String> environment) {
        if (settings.apiServer().isPresent()) {
            return settings.apiServer().get();
        }
        if (kubeconfig.isPresent()) {
            try {
                return ServerAddress.parse(config.getMasterUrl());
            } catch (IllegalArgumentException e) {
                throw new InvalidConfigException(
                        "sluice.kubernetes.kubeconfig '"
                                + kubeconfig.get().path()
                                + "': server '"
                                + config.getMasterUrl()
                                + "' "
                                + e.getMessage(),
                        e);
            }
        }
        return inPod(environment)
                .orElseThrow(
                        () ->
                                new InvalidConfigException(
                                        "it is not known where the API server is: name a file with"
                                                + " --kubeconfig, or set"
                                                + " sluice.kubernetes.api-server"));
    }

    private static Optional<Path> inside(Optional<Path> folder, String file) {
        return folder.map(path -> path.resolve(file)).filter(Files::exists);
    }

    private static Config paced(Config config, ApiPace pace) {
        return new ConfigBuilder(config)
                .withConnectionTimeout((int) pace.connectLimit().toMillis())
                .withRequestTimeout((int) pace.requestLimit().toMillis())
                .withWebsocketPingInterval(pace.pingInterval().toMillis())
                .withWatchReconnectLimit(-1)
                .withWatchReconnectInterval(
                        ThreadLocalRandom.current()
                                .nextInt(
                                        (int) pace.leastReconnect().toMillis(),
                                        (int) pace.mostReconnect().toMillis()))
                // Whoever asked repeats, at a pace of its own.
                .withRequestRetryBackoffLimit(0)
                .withHttp2Disable(true)
                .build();
    }
}
