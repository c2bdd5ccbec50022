package dev.sluice.app;

import dev.sluice.config.ConfigLoader;
import dev.sluice.config.ConfigSources;
import dev.sluice.config.ConfigSources.Flag;
import dev.sluice.config.InvalidConfigException;
import dev.sluice.config.ProxyConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The flags that say where settings come from. */
final class ConfigOptions {
    /** Place in the help of what a command can't do without; picocli gives all others -1. */
    static final int BEFORE_ALL = -2;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description =
                    "Settings in HOCON, or a KubeProxyConfiguration of kube-proxy. All keys, their"
                            + " ranges and defaults: unzip -p sluice.jar reference.conf")
    private @Nullable Path file;

    @Option(
            names = "--redirect",
            paramLabel = "iptables|none",
            description =
                    "What brings traffic of ClusterIPs to the listeners: iptables (needs root), or"
                            + " none, and clients connect to the listeners themselves, whose ports"
                            + " are logged. Short for --set redirect.mode=…; default: iptables.")
    private @Nullable String redirect;

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description =
                    "One setting, such as --set dial.total-timeout=2s; may be repeated. The same as"
                            + " an environment variable: SLUICE_DIAL_TOTAL_TIMEOUT=2s. Flags win over"
                            + " variables, and those over the file.")
    private List<String> settings = new ArrayList<>();

    /**
     * Reads the settings.
     *
     * @param own flags of the command itself
     * @throws InvalidConfigException for the first that is wrong
     */
    ProxyConfig load(Map<String, String> environment, List<Flag> own) {
        return load(environment, List.of(), own);
    }

    /**
     * The same.
     *
     * @param weakest flags that count only where no other flag says anything
     */
    ProxyConfig load(Map<String, String> environment, List<Flag> weakest, List<Flag> own) {
        return ConfigLoader.load(sources(environment, weakest, own));
    }

    /** The same settings as they would be read from a file. */
    String effective(Map<String, String> environment, List<Flag> weakest, List<Flag> own) {
        return ConfigLoader.effective(sources(environment, weakest, own));
    }

    private ConfigSources sources(
            Map<String, String> environment, List<Flag> weakest, List<Flag> own) {
        List<Flag> flags = new ArrayList<>(weakest);
        settings.forEach(setting -> flags.add(Flag.set(setting)));
        if (redirect != null) {
            flags.add(new Flag("--redirect", "redirect.mode", redirect));
        }
        flags.addAll(own);
        return new ConfigSources(flags, environment, Optional.ofNullable(file));
    }
}
