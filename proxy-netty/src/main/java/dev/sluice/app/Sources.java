package dev.sluice.app;

import dev.sluice.config.InvalidConfigException;
import dev.sluice.config.ProxyConfig;
import dev.sluice.config.ProxyConfig.Redirect.Mode;
import dev.sluice.control.ServiceSource;
import dev.sluice.kubernetes.ApiServer;
import dev.sluice.kubernetes.KubernetesServiceSource;
import dev.sluice.kubernetes.ManifestServiceSource;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * Where the program's Services come from.
 *
 * <p>Threads: stateless; any thread.
 */
final class Sources {
    private Sources() {}

    /**
     * The source that the settings name.
     *
     * @throws InvalidConfigException if they name none, two, or one that can't be right
     */
    static ServiceSource of(ProxyConfig config, Map<String, String> environment) {
        ProxyConfig.Kubernetes kubernetes = config.kubernetes();
        Optional<Path> manifests = config.manifests();
        if (manifests.isPresent()) {
            if (kubernetes.namesServer()) {
                throw new InvalidConfigException(
                        "both sluice.manifests and sluice.kubernetes name a source of Services:"
                                + " set one of them");
            }
            return manifests(config, manifests.get());
        }
        if (!kubernetes.namesServer()) {
            checkPod(config, environment);
        }
        return new KubernetesServiceSource(ApiServer.of(kubernetes, environment), config);
    }

    private static ServiceSource manifests(ProxyConfig config, Path path) {
        if (!Files.exists(path)) {
            throw new InvalidConfigException(
                    "sluice.manifests '" + path + "': there is no such file or folder");
        }
        return new ManifestServiceSource(path, config);
    }

    /** What the kubelet puts into a pod is the ClusterIP of the API server. */
    private static void checkPod(ProxyConfig config, Map<String, String> environment) {
        Optional<URI> found = ApiServer.inPod(environment);
        if (found.isEmpty()) {
            throw new InvalidConfigException(
                    "there is nothing to serve: name an API server with --kubeconfig, or a folder"
                            + " with --manifests");
        }
        if (config.redirect().mode() != Mode.NONE) {
            throw new InvalidConfigException(
                    "KUBERNETES_SERVICE_HOST says that the API server is at "
                            + found.get()
                            + ", which is a ClusterIP that this proxy itself is to serve: set"
                            + " sluice.kubernetes.api-server to an address of the API server"
                            + " itself");
        }
    }
}
