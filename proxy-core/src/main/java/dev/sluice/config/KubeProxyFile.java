package dev.sluice.config;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigValueFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/**
 * Reads a {@code KubeProxyConfiguration} (kubeproxy.config.k8s.io/v1alpha1) as settings of Sluice.
 * As kube-proxy does, it is read strictly first, and if there are unknown or duplicate fields, once
 * more without them. What Sluice has no use for is named in one line.
 *
 * <p>Stateless; any thread.
 */
final class KubeProxyFile {
    private static final Logger log = LoggerFactory.getLogger(KubeProxyFile.class);

    private static final String API_VERSION = "kubeproxy.config.k8s.io/v1alpha1";
    private static final String KIND = "KubeProxyConfiguration";
    private static final Pattern ITS_OWN =
            Pattern.compile(
                    "(?m)^\\s*\\{?\\s*[\"']?(kind[\"']?\\s*:\\s*[\"']?KubeProxyConfiguration"
                            + "|apiVersion[\"']?\\s*:\\s*[\"']?kubeproxy\\.config\\.k8s\\.io)");

    private KubeProxyFile() {}

    /** Whether a file is one of kube-proxy rather than one of Sluice. */
    static boolean isOne(String text) {
        return ITS_OWN.matcher(text).find();
    }

    /**
     * The settings of the file.
     *
     * @throws InvalidConfigException naming file, field, value and rule
     */
    static Config read(Path file, String text) {
        Map<String, @Nullable Object> fields = new TreeMap<>();
        flatten("", parse(file, text), fields);
        require(file, fields, "apiVersion", API_VERSION);
        require(file, fields, "kind", KIND);
        Map<String, KubeProxySetting> known = KubeProxySetting.byField();
        List<String> unknown = new ArrayList<>();
        List<String> unused = new ArrayList<>();
        Config config = ConfigFactory.empty();
        for (Map.Entry<String, @Nullable Object> field : fields.entrySet()) {
            KubeProxySetting setting = setting(known, field.getKey());
            String value = text(file, field.getKey(), field.getValue());
            if (setting == null) {
                unknown.add(field.getKey());
            } else if (setting.isUsed()) {
                if (!KubeProxySetting.isUnset(value)) {
                    config = translated(file, setting, value).withFallback(config);
                }
            } else if (isOfUse(field.getKey(), value, setting)) {
                unused.add(field.getKey() + " = " + value);
            }
        }
        warn(file, unknown, unused);
        return withDetection(file, config);
    }

    /** A section that Sluice has no use for at all stands for its fields. */
    private static @Nullable KubeProxySetting setting(
            Map<String, KubeProxySetting> known, String field) {
        KubeProxySetting exact = known.get(field);
        if (exact != null) {
            return exact;
        }
        String section = field;
        while (section.indexOf('.') > 0) {
            section = section.substring(0, section.lastIndexOf('.'));
            KubeProxySetting whole = known.get(section);
            if (whole != null && !whole.isUsed()) {
                return whole;
            }
        }
        return null;
    }

    /** False where it says what is so anyway; NodePorts on localhost can't be had without. */
    private static boolean isOfUse(String field, String value, KubeProxySetting setting) {
        boolean isRefusal = field.equals("iptables.localhostNodePorts") && value.equals("false");
        return isRefusal || (!KubeProxySetting.isUnset(value) && !setting.asGood().contains(value));
    }

    private static Config translated(Path file, KubeProxySetting setting, String value) {
        String origin = "--config " + file + ", field " + setting.field();
        try {
            return ConfigValueFactory.fromAnyRef(setting.translation().apply(value), origin)
                    .atPath(ConfigKeys.ROOT + "." + setting.key());
        } catch (IllegalArgumentException e) {
            throw new InvalidConfigException(origin + " = '" + value + "': " + e.getMessage(), e);
        }
    }

    /** kube-proxy detects by {@code clusterCIDR} where nothing else is said. */
    private static Config withDetection(Path file, Config config) {
        String section = ConfigKeys.ROOT + ".node.detect-local.";
        if (!config.hasPath(section + "cluster-cidrs") || config.hasPath(section + "mode")) {
            return config;
        }
        return ConfigValueFactory.fromAnyRef(
                        "cluster-cidr", "--config " + file + ", field clusterCIDR")
                .atPath(section + "mode")
                .withFallback(config);
    }

    private static void warn(Path file, List<String> unknown, List<String> unused) {
        if (!unknown.isEmpty()) {
            log.warn("{}: unknown fields, which are left out: {}", file, unknown);
        }
        if (!unused.isEmpty()) {
            log.warn("{}: not used by Sluice: {}", file, String.join(", ", unused));
        }
    }

    private static void require(
            Path file, Map<String, @Nullable Object> fields, String field, String value) {
        Object found = fields.remove(field);
        if (!value.equals(found)) {
            throw new InvalidConfigException(
                    "--config " + file + ": " + field + " is '" + found + "', not " + value);
        }
    }

    private static Map<?, ?> parse(Path file, String text) {
        Object value;
        try {
            value = load(text, false);
        } catch (YamlEngineException strict) {
            if (!String.valueOf(strict.getMessage()).contains("duplicate key")) {
                throw unreadable(file, strict);
            }
            try {
                value = load(text, true);
                log.warn("{}: a field stands twice, the last one counts: {}", file, line(strict));
            } catch (YamlEngineException e) {
                throw unreadable(file, e);
            }
        }
        if (value instanceof Map<?, ?> fields) {
            return fields;
        }
        throw new InvalidConfigException("--config " + file + ": is no map of fields");
    }

    private static @Nullable Object load(String text, boolean duplicates) {
        return new Load(
                        LoadSettings.builder()
                                .setAllowDuplicateKeys(duplicates)
                                .setAllowRecursiveKeys(false)
                                .build())
                .loadFromString(text);
    }

    private static InvalidConfigException unreadable(Path file, YamlEngineException e) {
        return new InvalidConfigException("--config " + file + ": is not YAML: " + line(e), e);
    }

    private static String line(YamlEngineException e) {
        return String.valueOf(e.getMessage()).strip().replaceAll("\\s*\\R\\s*", "; ");
    }

    private static void flatten(
            String prefix, Map<?, ?> section, Map<String, @Nullable Object> fields) {
        section.forEach(
                (name, value) -> {
                    if (value instanceof Map<?, ?> inner && !inner.isEmpty()) {
                        flatten(prefix + name + ".", inner, fields);
                    } else {
                        fields.put(prefix + name, value);
                    }
                });
    }

    /** A list of scalars is written with commas, as Sluice's own lists may be. */
    private static String text(Path file, String field, @Nullable Object value) {
        if (value instanceof List<?> list) {
            for (Object entry : list) {
                if (entry instanceof List<?> || entry instanceof Map<?, ?>) {
                    throw new InvalidConfigException(
                            "--config "
                                    + file
                                    + ", field "
                                    + field
                                    + " = "
                                    + value
                                    + ": must be a list of values");
                }
            }
            return list.stream().map(String::valueOf).collect(Collectors.joining(","));
        }
        return String.valueOf(value);
    }
}
