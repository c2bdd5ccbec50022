package dev.sluice.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueFactory;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What reference.conf says of each key is what the code does. */
class ReferenceConfTest {
    private static final Pattern BOUNDS =
            Pattern.compile("Range: (?:\\d+ to \\d+ entries, each )?(\\w+ to \\w+)");

    static Stream<Arguments> keys() {
        return ConfigKeys.read().defaults().entrySet().stream()
                .map(entry -> Arguments.of(entry.getKey(), entry.getValue()));
    }

    static Stream<Arguments> boundedKeys() {
        return keys().filter(key -> BOUNDS.matcher(comment((ConfigValue) key.get()[1])).find());
    }

    @ParameterizedTest
    @MethodSource("keys")
    void everyKeyIsDocumented(String key, ConfigValue value) {
        assertThat(comment(value)).as(key).contains("Range:").contains("Default:");
    }

    @ParameterizedTest
    @MethodSource("keys")
    void everyKeyIsRead(String key, ConfigValue value) {
        ConfigValue nothingThatAnyKeyTakes =
                ConfigValueFactory.fromIterable(List.of(List.of("x")), "the test");

        assertThatThrownBy(() -> ProxyConfig.from(nothingThatAnyKeyTakes.atPath(key)))
                .isInstanceOf(InvalidConfigException.class)
                .hasMessageStartingWith(key + " = ")
                .hasMessageEndingWith("(the test)");
    }

    @ParameterizedTest
    @MethodSource("boundedKeys")
    void theDocumentedBoundsAreTheBoundsOfTheCode(String key, ConfigValue value) {
        Matcher matcher = BOUNDS.matcher(comment(value));
        assertThat(matcher.find()).isTrue();
        String bounds = matcher.group(1);
        String unit = bounds.replaceFirst("^\\d+([a-z]*) .*", "$1");

        assertThatThrownBy(() -> ProxyConfig.from(ConfigFactory.parseMap(Map.of(key, "-1" + unit))))
                .isInstanceOf(InvalidConfigException.class)
                .hasMessageContaining("from " + bounds + " ");
    }

    @Test
    void mostKeysHaveBounds() {
        assertThat(boundedKeys()).hasSize(23);
    }

    @Test
    void noTwoKeysShareAnEnvironmentVariable() {
        assertThat(ConfigKeys.read().byEnvironmentName())
                .hasSize((int) keys().count())
                .containsEntry("SLUICE_DIAL_TOTAL_TIMEOUT", "sluice.dial.total-timeout")
                .containsEntry("SLUICE_MANIFESTS", "sluice.manifests");
    }

    private static String comment(ConfigValue value) {
        return String.join("\n", value.origin().comments());
    }
}
