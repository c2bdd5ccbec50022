package dev.sluice.app;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IVersionProvider;

/** What a bug report should say. */
final class Versions implements IVersionProvider {
    @Override
    public String[] getVersion() throws IOException {
        return new String[] {
            "sluice " + orUnknown(Main.class.getPackage().getImplementationVersion()),
            "java " + Runtime.version() + " (" + System.getProperty("java.vendor") + ")",
            "os "
                    + System.getProperty("os.name")
                    + " "
                    + System.getProperty("os.version")
                    + " "
                    + System.getProperty("os.arch"),
            "netty " + netty()
        };
    }

    /** All Netty jars of a build have one version; each of them carries this file. */
    private static String netty() throws IOException {
        Properties versions = new Properties();
        try (InputStream file =
                Versions.class.getResourceAsStream("/META-INF/io.netty.versions.properties")) {
            if (file != null) {
                versions.load(file);
            }
        }
        return orUnknown(
                versions.stringPropertyNames().stream()
                        .filter(name -> name.endsWith(".version"))
                        .sorted()
                        .findFirst()
                        .map(versions::getProperty)
                        .orElse(null));
    }

    private static String orUnknown(@Nullable String version) {
        return version == null ? "unknown" : version;
    }
}
