package dev.sluice.config;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigValueFactory;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** The settings among the environment variables: {@code SLUICE_} and the key in capitals. */
final class EnvironmentConfig {
    private static final String PREFIX = "SLUICE_";

    /**
     * What the kubelet sets in each container for a Service of the pod's namespace, its name in
     * capitals first (Kubernetes documentation, "Service: environment variables").
     */
    private static final Pattern OF_SERVICE =
            Pattern.compile(
                    "SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?"
                            + "|PORT(_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?");

    private static final String HOST_OF_SERVICE = "_SERVICE_HOST";

    private EnvironmentConfig() {}

    /**
     * @throws InvalidConfigException for a variable that begins with {@code SLUICE_} and names no
     *     key, unless Kubernetes set it for a Service whose name begins with {@code sluice}
     */
    static Config read(Map<String, String> environment, ConfigKeys keys) {
        Map<String, String> known = keys.byEnvironmentName();
        SortedMap<String, String> own = new TreeMap<>(environment).tailMap(PREFIX);
        Config config = ConfigFactory.empty();
        for (Map.Entry<String, String> variable : own.entrySet()) {
            String name = variable.getKey();
            if (!name.startsWith(PREFIX)) {
                break;
            }
            String key = known.get(name);
            if (key != null) {
                config =
                        config.withValue(
                                key,
                                ConfigValueFactory.fromAnyRef(
                                        variable.getValue(), "environment variable " + name));
            } else if (!isOfService(name, own.keySet())) {
                throw new InvalidConfigException(
                        "environment variable " + name + ": there is no key of this name");
            }
        }
        return config;
    }

    /** Kubernetes sets all variables of a Service or none, so its host must be there, too. */
    private static boolean isOfService(String name, Set<String> names) {
        return names.stream()
                .filter(host -> host.endsWith(HOST_OF_SERVICE))
                .map(host -> host.substring(0, host.length() - HOST_OF_SERVICE.length()) + "_")
                .filter(name::startsWith)
                .anyMatch(prefix -> OF_SERVICE.matcher(name.substring(prefix.length())).matches());
    }
}
