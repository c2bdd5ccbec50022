package dev.sluice.kubernetes;

import dev.sluice.config.InvalidConfigException;
import dev.sluice.kubernetes.transport.ApiFailures;
import io.fabric8.kubernetes.client.Config;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A kubeconfig file, of which the current context is used. It is looked through before the client
 * reads it, since the client would run what an {@code exec} entry says.
 *
 * <p>Immutable; any thread.
 *
 * @param tokenFile absolute; the client does not know this entry
 */
record Kubeconfig(Path path, Optional<Path> tokenFile) {
    private static final int LARGEST_BYTES = 1 << 20;

    /** Entries of a user that make the client run a program or ask another server. */
    private static final Set<String> FOREIGN_CREDENTIALS = Set.of("exec", "auth-provider");

    /** Whether such entries are followed. */
    enum ForeignCredentials {
        REFUSED,
        FOLLOWED
    }

    /**
     * Looks through the file.
     *
     * @throws InvalidConfigException if it can't be read, has no usable current context, or asks
     *     for what is refused
     */
    static Kubeconfig read(Path path, ForeignCredentials foreign) {
        Map<?, ?> root = parse(path);
        String context = text(root, "current-context");
        if (context.isEmpty()) {
            throw invalid(path, "has no current-context");
        }
        Map<?, ?> chosen = entry(path, root, "contexts", context, "context");
        Map<?, ?> cluster = entry(path, root, "clusters", text(chosen, "cluster"), "cluster");
        if (text(cluster, "server").isEmpty()) {
            throw invalid(
                    path, "cluster '" + text(chosen, "cluster") + "' has no address (server)");
        }
        if (cluster.get("tls-server-name") != null) {
            throw invalid(
                    path,
                    "cluster '"
                            + text(chosen, "cluster")
                            + "' has an entry 'tls-server-name', which Java's HTTP client can't"
                            + " follow: set sluice.kubernetes.api-server to a name that the"
                            + " certificate has");
        }
        String userName = text(chosen, "user");
        Map<?, ?> user =
                userName.isEmpty() ? Map.of() : entry(path, root, "users", userName, "user");
        for (String entry : FOREIGN_CREDENTIALS) {
            if (foreign == ForeignCredentials.REFUSED && user.get(entry) != null) {
                throw invalid(
                        path,
                        "user '"
                                + userName
                                + "' has an entry '"
                                + entry
                                + "', which is followed only if sluice.kubernetes.allow-exec is"
                                + " true");
            }
        }
        String tokenFile = text(user, "tokenFile");
        return new Kubeconfig(
                path,
                tokenFile.isEmpty()
                        ? Optional.empty()
                        : Optional.of(path.toAbsolutePath().resolveSibling(tokenFile)));
    }

    /**
     * The settings of a client.
     *
     * @throws InvalidConfigException if the client can't make sense of the file
     */
    Config config() {
        try {
            return Config.fromKubeconfig(path.toFile());
        } catch (RuntimeException e) {
            throw invalid(path, "can't be used: " + ApiFailures.describe(e));
        }
    }

    private static Map<?, ?> parse(Path path) {
        byte[] bytes;
        try (InputStream in = Files.newInputStream(path)) {
            bytes = in.readNBytes(LARGEST_BYTES + 1);
        } catch (IOException e) {
            throw invalid(path, "cannot be read: " + ManifestFile.reason(e));
        }
        if (bytes.length > LARGEST_BYTES) {
            throw invalid(path, "is larger than " + LARGEST_BYTES + " bytes");
        }
        List<YamlDocument> documents =
                YamlDocument.split(new String(bytes, StandardCharsets.UTF_8));
        if (documents.size() != 1) {
            throw invalid(path, "must hold one document, not " + documents.size());
        }
        try {
            if (documents.get(0).parse() instanceof Map<?, ?> root) {
                return root;
            }
        } catch (ManifestException e) {
            throw invalid(path, e.rule());
        }
        throw invalid(path, "must be a map");
    }

    /** What stands beside the name in one of the three lists of a kubeconfig. */
    private static Map<?, ?> entry(
            Path path, Map<?, ?> root, String list, String name, String content) {
        if (root.get(list) instanceof List<?> entries) {
            for (@Nullable Object each : entries) {
                if (each instanceof Map<?, ?> entry
                        && name.equals(entry.get("name"))
                        && entry.get(content) instanceof Map<?, ?> found) {
                    return found;
                }
            }
        }
        throw invalid(path, "has no entry '" + name + "' in " + list);
    }

    private static String text(Map<?, ?> map, String key) {
        return map.get(key) instanceof String text ? text : "";
    }

    private static InvalidConfigException invalid(Path path, String rule) {
        return new InvalidConfigException("sluice.kubernetes.kubeconfig '" + path + "': " + rule);
    }
}
