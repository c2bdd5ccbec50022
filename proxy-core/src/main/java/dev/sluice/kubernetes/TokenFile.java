package dev.sluice.kubernetes;

import dev.sluice.config.InvalidConfigException;
import io.fabric8.kubernetes.client.OAuthTokenProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A bearer token that the kubelet replaces from time to time (KEP-1205). Read for each request, of
 * which there are few.
 *
 * <p>Threads: any.
 */
final class TokenFile implements OAuthTokenProvider {
    private static final Logger log = LoggerFactory.getLogger(TokenFile.class);

    private final Path path;
    private volatile String last;

    /**
     * @throws InvalidConfigException if there is no token in it
     */
    TokenFile(Path path) {
        this.path = path;
        try {
            last = read();
        } catch (IOException e) {
            throw new InvalidConfigException(
                    "token file '" + path + "' cannot be read: " + ManifestFile.reason(e), e);
        }
        if (last.isEmpty()) {
            throw new InvalidConfigException("token file '" + path + "' is empty");
        }
    }

    @Override
    public @Nullable String getToken() {
        try {
            String now = read();
            // Between two writes of whoever replaces it.
            if (!now.isEmpty()) {
                last = now;
            }
        } catch (IOException e) {
            log.warn(
                    "token file '{}' cannot be read, the last token is used on: {}",
                    path,
                    ManifestFile.reason(e));
        }
        return last;
    }

    private String read() throws IOException {
        return Files.readString(path).strip();
    }
}
