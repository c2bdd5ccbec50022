package dev.sluice.config;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigParseOptions;
import com.typesafe.config.ConfigUtil;
import com.typesafe.config.ConfigValue;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * The keys that exist: those of {@code reference.conf}, which is thereby the only list of them.
 *
 * <p>Immutable; any thread.
 */
final class ConfigKeys {
    /** The only top-level key of Sluice. */
    static final String ROOT = "sluice";

    private final Config reference;

    private ConfigKeys(Config reference) {
        this.reference = reference;
    }

    /**
     * Reads the {@code reference.conf} of the class path.
     *
     * @throws InvalidConfigException if it is missing, as happens in jars merged without regard to
     *     it
     */
    static ConfigKeys read() {
        try {
            Config all =
                    ConfigFactory.parseResources(
                            ConfigKeys.class.getClassLoader(),
                            "reference.conf",
                            ConfigParseOptions.defaults().setAllowMissing(false));
            Config own = all.withOnlyPath(ROOT);
            if (!own.isEmpty()) {
                return new ConfigKeys(own);
            }
        } catch (ConfigException.IO e) {
            throw new InvalidConfigException("reference.conf is not on the class path", e);
        }
        throw new InvalidConfigException(
                "the reference.conf on the class path has no section 'sluice';"
                        + " a jar was merged without appending it");
    }

    /** All keys with their defaults. */
    Config defaults() {
        return reference;
    }

    /** {@code SLUICE_DIAL_TOTAL_TIMEOUT} to {@code sluice.dial.total-timeout}, for all keys. */
    Map<String, String> byEnvironmentName() {
        Map<String, String> keys = new TreeMap<>();
        reference
                .entrySet()
                .forEach(entry -> keys.put(environmentName(entry.getKey()), entry.getKey()));
        return keys;
    }

    static String environmentName(String key) {
        return key.replace('.', '_').replace('-', '_').toUpperCase(Locale.ROOT);
    }

    /** Refuses the first key below {@code sluice} that does not exist. */
    void check(Config config) {
        ConfigValue root = config.root().get(ROOT);
        if (root != null) {
            check(ROOT, root);
        }
    }

    private void check(String path, ConfigValue value) {
        if (!reference.hasPathOrNull(path)) {
            throw Origins.invalid(path, value, "there is no such key");
        }
        boolean isSection = reference.getValue(path) instanceof ConfigObject;
        if (value instanceof ConfigObject section) {
            if (!isSection) {
                throw Origins.invalid(path, value, "must be a value, not a section of keys");
            }
            section.forEach((key, child) -> check(path + "." + ConfigUtil.joinPath(key), child));
        } else if (isSection) {
            throw Origins.invalid(path, value, "must be a section of keys, not a value");
        }
    }
}
