package dev.sluice.app;

import com.typesafe.config.ConfigFactory;
import dev.sluice.config.ProxyConfig;
import dev.sluice.control.ProgrammaticServiceSource;
import dev.sluice.model.ServiceSnapshot;
import java.io.IOException;
import java.util.Map;

/** A program that embeds a proxy, whose class path its test chooses. */
final class EmbeddingProgram {
    private EmbeddingProgram() {}

    /**
     * Starts a proxy, says so, and ends.
     *
     * @param arguments value of {@code admin.address}
     */
    public static void main(String[] arguments) {
        ProxyConfig config =
                ProxyConfig.from(
                        ConfigFactory.parseMap(
                                Map.of(
                                        "sluice.redirect.mode",
                                        "none",
                                        "sluice.admin.address",
                                        arguments[0])));
        ProgrammaticServiceSource source = new ProgrammaticServiceSource();
        source.set(ServiceSnapshot.EMPTY);
        try (ServiceProxy proxy = ServiceProxy.builder().config(config).source(source).start()) {
            System.out.println(proxy.status().ok() ? "serving" : "not serving");
        } catch (IOException e) {
            System.out.println(e.getMessage());
        }
    }
}
