package dev.sluice.kubernetes;

import dev.sluice.config.InvalidConfigException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;

/**
 * Certificates in PEM that the API server's own is checked against.
 *
 * <p>Threads: stateless; any thread.
 */
final class CaFile {
    private CaFile() {}

    /**
     * The client itself takes a file without certificates, and then trusts no server.
     *
     * @throws InvalidConfigException if there is no certificate in it
     */
    static Path checked(Path path) {
        try (InputStream in = Files.newInputStream(path)) {
            if (!CertificateFactory.getInstance("X.509").generateCertificates(in).isEmpty()) {
                return path;
            }
        } catch (IOException e) {
            throw new InvalidConfigException(
                    "CA file '" + path + "' cannot be read: " + ManifestFile.reason(e), e);
        } catch (CertificateException e) {
            throw new InvalidConfigException(
                    "CA file '" + path + "' must hold certificates in PEM: " + e.getMessage(), e);
        }
        throw new InvalidConfigException(
                "CA file '" + path + "' must hold certificates in PEM, but has none");
    }
}
