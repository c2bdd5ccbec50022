package dev.sluice.config;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Where the settings of the program come from, strongest first; {@code reference.conf} is the last.
 *
 * <p>Immutable; any thread.
 *
 * @param flags values of the command line; of two with the same key the later one counts
 * @param environment all environment variables; those that begin with {@code SLUICE_} are read
 * @param file the file of {@code --config}: HOCON, or a KubeProxyConfiguration in YAML
 */
public record ConfigSources(
        List<Flag> flags, Map<String, String> environment, Optional<Path> file) {
    public ConfigSources {
        flags = List.copyOf(flags);
        environment = Map.copyOf(environment);
    }

    /**
     * One value of the command line.
     *
     * @param origin the flag as an error should name it
     * @param key with or without the leading {@code sluice.}
     * @param text the value as text
     */
    public record Flag(String origin, String key, String text) {
        /**
         * The argument of {@code --set}.
         *
         * @param argument {@code key=value}
         * @throws InvalidConfigException if there is no {@code =} or nothing before it
         */
        public static Flag set(String argument) {
            int equals = argument.indexOf('=');
            if (equals < 1) {
                throw new InvalidConfigException(
                        "--set '" + argument + "': must be key=value, such as dial.retry-pause=1s");
            }
            return new Flag(
                    "--set", argument.substring(0, equals).strip(), argument.substring(equals + 1));
        }
    }
}
