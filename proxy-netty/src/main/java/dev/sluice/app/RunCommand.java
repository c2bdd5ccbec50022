package dev.sluice.app;

import dev.sluice.config.ConfigSources.Flag;
import dev.sluice.config.ProxyConfig;
import dev.sluice.control.ServiceSource;
import dev.sluice.model.ServicePortName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
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
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sluice run}. */
@Command(
        name = "run",
        description = {
            "Serve the Services of a cluster, or of a folder of manifests, until a signal comes.",
            "The first SIGTERM, SIGINT or SIGHUP lets connections go on for shutdown.drain (25s) at"
                    + " most; the second one ends at once.",
            ""
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  Serve the ClusterIPs of a cluster on this node (root, Linux):",
            "    sluice run --kubeconfig /etc/sluice/kubeconfig",
            "  Those of a folder:",
            "    sluice run --manifests /etc/sluice/services",
            "  Without rules: each Service port on a port of 127.0.0.1, which is logged:",
            "    sluice run --manifests services.yaml --redirect none",
            "  Other settings:",
            "    sluice run --config sluice.conf --set shutdown.drain=5s -v",
            "  With the file and the flags of kube-proxy; what is not used of them is named:",
            "    sluice --config=/var/lib/kube-proxy/config.conf --hostname-override=node-1 -v=2"
        })
final class RunCommand implements Callable<Integer> {
    private static final Logger log = LoggerFactory.getLogger(RunCommand.class);

    private final Map<String, String> environment;
    private final List<Flag> compatible;

    @Mixin private ConfigOptions options = new ConfigOptions();

    @Option(
            names = "--manifests",
            paramLabel = "PATH",
            order = ConfigOptions.BEFORE_ALL,
            description =
                    "File or folder with Services and EndpointSlices in YAML or JSON, read again"
                            + " when it changes; in place of an API server.")
    private @Nullable String manifests;

    @Option(
            names = "--kubeconfig",
            paramLabel = "FILE",
            order = ConfigOptions.BEFORE_ALL,
            description =
                    "Where the API server is and who asks it. Neither this nor --manifests is"
                            + " needed in a pod, where the kubelet says both.")
    private @Nullable String kubeconfig;

    @Option(
            names = "--write-config-to",
            paramLabel = "FILE",
            description = "Write all settings in effect to a file, for --config, and end.")
    private @Nullable Path writeTo;

    @Option(
            names = "--cleanup",
            hidden = true,
            description = "As the command cleanup: what kube-proxy calls it.")
    private boolean cleanup;

    @Option(
            names = "--init-only",
            hidden = true,
            description =
                    "Check the settings and end. What kube-proxy prepares with more rights (sysctls)"
                            + " is nothing that Sluice needs.")
    private boolean initOnly;

    @Spec private CommandSpec spec = CommandSpec.create();

    /**
     * @param compatible flags of kube-proxy, as settings; the weakest of all flags
     */
    RunCommand(Map<String, String> environment, List<Flag> compatible) {
        this.environment = environment;
        this.compatible = List.copyOf(compatible);
    }

    @Override
    public Integer call() throws Exception {
        if (writeTo != null) {
            write(writeTo, options.effective(environment, compatible, flags()));
            return ExitCodes.OK;
        }
        ProxyConfig config = options.load(environment, compatible, flags());
        if (cleanup) {
            RuleRemoval.run(config);
            spec.commandLine().getOut().println(RuleRemoval.DONE);
            return ExitCodes.OK;
        }
        if (initOnly) {
            log.info("--init-only: the settings are valid, and nothing has to be prepared");
            return ExitCodes.OK;
        }
        try (Signals signals = Signals.interruptingThisThread()) {
            return serve(config, Sources.of(config, environment), signals);
        }
    }

    private List<Flag> flags() {
        List<Flag> flags = new ArrayList<>();
        if (manifests != null) {
            flags.add(new Flag("--manifests", "manifests", manifests));
        }
        if (kubeconfig != null) {
            flags.add(new Flag("--kubeconfig", "kubernetes.kubeconfig", kubeconfig));
        }
        return flags;
    }

    /** In one step: whoever reads it meanwhile finds the old file or the new one. */
    private static void write(Path file, String text) throws IOException {
        Path draft = file.resolveSibling(file.getFileName() + ".new");
        try {
            Files.writeString(draft, text);
            Files.move(
                    draft,
                    file,
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            Files.deleteIfExists(draft);
            throw new IOException("--write-config-to " + file + ": can't be written: " + e, e);
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
