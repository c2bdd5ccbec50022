package dev.sluice.config;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigValueFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.schema.CoreSchema;

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
    private static final Pattern ITS_KIND =
            Pattern.compile(
                    "(?m)(^|[{,])\\s*[\"']?(kind[\"']?\\s*:\\s*[\"']?KubeProxyConfiguration"
                            + "|apiVersion[\"']?\\s*:\\s*[\"']?kubeproxy\\.config\\.k8s\\.io)");

    /** Sluice has no key with a capital letter, and these stand nowhere but at the left margin. */
    private static final Pattern ITS_FIELDS =
            Pattern.compile(
                    "(?m)^(clientConnection|clusterCIDR|hostnameOverride|bindAddress"
                            + "|healthzBindAddress|metricsBindAddress|detectLocalMode"
                            + "|nodePortAddresses|featureGates|configSyncPeriod)\\s*:");

    private KubeProxyFile() {}

    /** Whether a file is one of kube-proxy, also without its kind, rather than one of Sluice. */
    static boolean isOne(String text) {
        return ITS_KIND.matcher(text).find() || ITS_FIELDS.matcher(text).find();
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
        List<String> unknown = new ArrayList<>();
        List<String> unused = new ArrayList<>();
        Config config = ConfigFactory.empty();
        for (Map.Entry<String, @Nullable Object> field : fields.entrySet()) {
            Optional<KubeProxySetting> known = KubeProxyTable.ofField(field.getKey());
            if (known.isEmpty()) {
                checkSection(file, field.getKey(), field.getValue());
                unknown.add(field.getKey());
                continue;
            }
            KubeProxySetting setting = known.get();
            String value = text(field.getValue());
            if (!setting.isNews(value)) {
                continue;
            }
            if (setting.isUsed()) {
                checkType(file, setting, field.getValue());
                config = translated(file, setting, value).withFallback(config);
            } else {
                unused.add(field.getKey() + " = " + value);
            }
        }
        warn(file, unknown, unused);
        return config;
    }

    private static Config translated(Path file, KubeProxySetting setting, String value) {
        String origin = origin(file, setting.field());
        try {
            return ConfigValueFactory.fromAnyRef(setting.translation().apply(value), origin)
                    .atPath(ConfigKeys.ROOT + "." + setting.key());
        } catch (IllegalArgumentException e) {
            throw new InvalidConfigException(origin + " = '" + value + "': " + e.getMessage(), e);
        }
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

    /** Aliases to sections are refused, since they could lead round in a circle. */
    private static @Nullable Object load(String text, boolean duplicates) {
        return new Load(
                        LoadSettings.builder()
                                .setAllowDuplicateKeys(duplicates)
                                .setAllowRecursiveKeys(false)
                                .setMaxAliasesForCollections(0)
                                .setSchema(new CoreSchema())
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

    /** A value where there should be a section. */
    private static void checkSection(Path file, String field, @Nullable Object value) {
        if (value != null && !(value instanceof Map<?, ?>) && KubeProxyTable.isSection(field)) {
            throw invalid(file, field, value, "must be a section of fields");
        }
    }

    /** The fields that are used are text, durations included, but for the one list. */
    private static void checkType(Path file, KubeProxySetting setting, @Nullable Object value) {
        if (setting.field().equals("nodePortAddresses")) {
            if (!(value instanceof List<?> list)
                    || !list.stream().allMatch(String.class::isInstance)) {
                throw invalid(file, setting.field(), value, "must be a list of texts");
            }
        } else if (!(value instanceof String)) {
            throw invalid(file, setting.field(), value, "must be text; a number needs quotes");
        }
    }

    private static InvalidConfigException invalid(
            Path file, String field, @Nullable Object value, String rule) {
        return new InvalidConfigException(origin(file, field) + " = '" + value + "': " + rule);
    }

    private static String origin(Path file, String field) {
        return "--config " + file + ", field " + field;
    }

    /** A list is written with commas, as Sluice's own lists may be. */
    private static String text(@Nullable Object value) {
        return value instanceof List<?> list
                ? list.stream().map(String::valueOf).collect(Collectors.joining(","))
                : String.valueOf(value);
    }
}
