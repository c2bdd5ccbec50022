package dev.sluice.app;

import dev.sluice.config.ConfigSources.Flag;
import dev.sluice.config.InvalidConfigException;
import dev.sluice.config.ProxyConfig;
import dev.sluice.control.ServiceSource;
import dev.sluice.kubernetes.LoopbackEndpoints;
import dev.sluice.kubernetes.ManifestServiceSource;
import dev.sluice.model.ServicePortName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice run}. */
@Command(
        name = "run",
        description = {
            "Serve the Services of a folder of manifests until a signal comes.",
            "The first SIGTERM, SIGINT or SIGHUP lets connections go on for shutdown.drain (25s) at"
                    + " most; the second one ends at once.",
            ""
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  Serve the ClusterIPs on this node (root, Linux):",
            "    sluice run --manifests /etc/sluice/services",
            "  Without rules: each Service port on a port of 127.0.0.1, which is logged:",
            "    sluice run --manifests services.yaml --redirect none",
            "  Other settings:",
            "    sluice run --config sluice.conf --set shutdown.drain=5s -v"
        })
final class RunCommand implements Callable<Integer> {
    private static final Logger log = LoggerFactory.getLogger(RunCommand.class);

    private final Map<String, String> environment;

    @Mixin private ConfigOptions options = new ConfigOptions();

    @Option(
            names = "--manifests",
            paramLabel = "PATH",
            order = ConfigOptions.BEFORE_ALL,
            description =
                    "File or folder with Services and EndpointSlices in YAML or JSON, read again"
                            + " when it changes. Required, here or as the setting manifests.")
    private @Nullable String manifests;

    RunCommand(Map<String, String> environment) {
        this.environment = environment;
    }

    @Override
    public Integer call() throws Exception {
        ProxyConfig config =
                options.load(
                        environment,
                        manifests == null
                                ? List.of()
                                : List.of(new Flag("--manifests", "manifests", manifests)));
        Path path =
                config.manifests()
                        .orElseThrow(
                                () ->
                                        new InvalidConfigException(
                                                "sluice.manifests is not set: there is nothing to"
                                                        + " serve; name a folder with"
                                                        + " --manifests"));
        if (!Files.exists(path)) {
            throw new InvalidConfigException(
                    "sluice.manifests '" + path + "': there is no such file or folder");
        }
        try (Signals signals = Signals.interruptingThisThread()) {
            return serve(config, source(config, path), signals);
        }
    }

    private static int serve(ProxyConfig config, ServiceSource source, Signals signals)
            throws IOException {
        ServiceProxy proxy;
        try {
            proxy = ServiceProxy.builder().config(config).source(source).start();
        } catch (IOException e) {
            if (!signals.received()) {
                throw e;
            }
            log.info("ended while starting: {}", e.getMessage());
            return ExitCodes.OK;
        }
        try (proxy) {
            log.info(summary(config, proxy));
            signals.await();
            proxy.drain(config.shutdown().drain());
        }
        return ExitCodes.OK;
    }

    private static ServiceSource source(ProxyConfig config, Path manifests) {
        return new ManifestServiceSource(
                manifests,
                config.dial().allowLoopback()
                        ? LoopbackEndpoints.ALLOWED
                        : LoopbackEndpoints.REFUSED);
    }

    private static String summary(ProxyConfig config, ServiceProxy proxy) {
        Set<ServicePortName> ports = proxy.servicePorts();
        long services = ports.stream().map(ServicePortName::service).distinct().count();
        return "serving "
                + services
                + (services == 1 ? " Service, " : " Services, ")
                + ports.size()
                + (ports.size() == 1 ? " port" : " ports")
                + "; transport "
                + proxy.transportName()
                + ", redirect "
                + config.redirect().mode().name().toLowerCase(Locale.ROOT);
    }
}
