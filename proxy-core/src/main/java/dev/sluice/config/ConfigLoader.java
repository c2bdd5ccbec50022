package dev.sluice.config;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigList;
import com.typesafe.config.ConfigParseOptions;
import com.typesafe.config.ConfigRenderOptions;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueFactory;
import dev.sluice.config.ConfigSources.Flag;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Puts the sources of the program's settings together.
 *
 * <p>Stateless; any thread.
 */
public final class ConfigLoader {
    private static final String DETECTION = ConfigKeys.ROOT + ".node.detect-local.mode";
    private static final String RANGES = ConfigKeys.ROOT + ".node.detect-local.cluster-cidrs";

    private ConfigLoader() {}

    /**
     * Reads all sources and checks what results.
     *
     * @throws InvalidConfigException for the first thing that is wrong; see its message
     */
    public static ProxyConfig load(ConfigSources sources) {
        return ProxyConfig.from(merged(sources));
    }

    /**
     * All settings in effect as text that {@code --config} takes again.
     *
     * @throws InvalidConfigException as {@link #load}
     */
    public static String effective(ConfigSources sources) {
        Config merged = merged(sources);
        ProxyConfig.from(merged);
        return merged.withFallback(ConfigKeys.read().defaults())
                .resolve()
                .withOnlyPath(ConfigKeys.ROOT)
                .root()
                .render(
                        ConfigRenderOptions.defaults()
                                .setOriginComments(false)
                                .setComments(false)
                                .setJson(false));
    }

    private static Config merged(ConfigSources sources) {
        ConfigKeys keys = ConfigKeys.read();
        Config merged = ConfigFactory.empty();
        for (Flag flag : sources.flags()) {
            merged = flag(flag, keys).withFallback(merged);
        }
        merged = merged.withFallback(EnvironmentConfig.read(sources.environment(), keys));
        if (sources.file().isPresent()) {
            merged = merged.withFallback(file(sources.file().get(), keys));
        }
        return withDetection(merged);
    }

    /** Ranges of pods are to be used where nothing is said, as with {@code clusterCIDR}. */
    private static Config withDetection(Config merged) {
        if (!merged.hasPath(RANGES) || merged.hasPath(DETECTION)) {
            return merged;
        }
        ConfigValue ranges = merged.getValue(RANGES);
        boolean hasRanges =
                ranges instanceof ConfigList list
                        ? !list.isEmpty()
                        : !String.valueOf(ranges.unwrapped()).isBlank();
        return hasRanges
                ? ConfigValueFactory.fromAnyRef("cluster-cidr", Origins.place(ranges.origin()))
                        .atPath(DETECTION)
                        .withFallback(merged)
                : merged;
    }

    private static Config flag(Flag flag, ConfigKeys keys) {
        String prefix = ConfigKeys.ROOT + ".";
        String key = flag.key().startsWith(prefix) ? flag.key() : prefix + flag.key();
        if (!keys.byEnvironmentName().containsValue(key)) {
            throw new InvalidConfigException(
                    flag.origin() + " '" + flag.key() + "': there is no such key");
        }
        return ConfigValueFactory.fromAnyRef(flag.text(), flag.origin()).atPath(key);
    }

    private static Config file(Path path, ConfigKeys keys) {
        if (!Files.isReadable(path) || Files.isDirectory(path)) {
            throw new InvalidConfigException("--config " + path + ": there is no readable file");
        }
        try {
            String text = Files.readString(path);
            if (KubeProxyFile.isOne(text)) {
                return KubeProxyFile.read(path, text);
            }
            Config config =
                    ConfigFactory.parseFile(
                                    path.toFile(),
                                    ConfigParseOptions.defaults().setAllowMissing(false))
                            .resolve();
            config.root()
                    .forEach(
                            (key, value) -> {
                                if (!key.equals(ConfigKeys.ROOT)) {
                                    throw Origins.invalid(
                                            key,
                                            value,
                                            "there is no such key; all keys are below 'sluice'");
                                }
                            });
            keys.check(config);
            return config;
        } catch (ConfigException e) {
            throw new InvalidConfigException("--config " + e.getMessage(), e);
        } catch (IOException e) {
            throw new InvalidConfigException("--config " + path + " can't be read: " + e, e);
        }
    }
}
