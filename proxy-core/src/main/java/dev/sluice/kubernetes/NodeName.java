package dev.sluice.kubernetes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * By which name the cluster knows this node.
 *
 * <p>Stateless; any thread.
 */
final class NodeName {
    private static final Path HOST_NAME = Path.of("/proc/sys/kernel/hostname");

    private NodeName() {}

    /** The configured name, else the host name as the kubelet takes it: in lower case. */
    static String of(Optional<String> configured, Map<String, String> environment) {
        return configured.orElseGet(() -> hostName(environment)).strip().toLowerCase(Locale.ROOT);
    }

    private static String hostName(Map<String, String> environment) {
        try {
            return Files.readString(HOST_NAME);
        } catch (IOException e) {
            // Another system than Linux; DNS is never asked.
            return Objects.requireNonNullElse(environment.get("HOSTNAME"), "");
        }
    }
}
