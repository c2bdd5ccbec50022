package dev.sluice.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.ConfigSources.Flag;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigLoaderTest {
    @TempDir private Path folder;

    @Test
    void flagsWinOverEnvironmentOverFileOverDefaults() throws IOException {
        Path file =
                file(
                        """
                        sluice.dial { total-timeout = 5s, retry-pause = 5ms }
                        sluice.shutdown.drain = 5s
                        """);
        Map<String, String> environment =
                Map.of(
                        "SLUICE_DIAL_TOTAL_TIMEOUT", "6s",
                        "SLUICE_DIAL_RETRY_PAUSE", "6ms",
                        "HOME", "/root");
        List<Flag> flags =
                List.of(
                        Flag.set("sluice.dial.total-timeout=8s"),
                        Flag.set("dial.total-timeout=7s"));

        ProxyConfig config =
                ConfigLoader.load(new ConfigSources(flags, environment, Optional.of(file)));

        assertThat(config.dial().totalTimeout()).isEqualTo(Duration.ofSeconds(7));
        assertThat(config.dial().retryPause()).isEqualTo(Duration.ofMillis(6));
        assertThat(config.shutdown().drain()).isEqualTo(Duration.ofSeconds(5));
        assertThat(config.state()).isEqualTo(ProxyConfig.defaults().state());
    }

    @Test
    void textOfFlagsAndVariablesIsReadAsEachKeyNeedsIt() {
        ProxyConfig config =
                ConfigLoader.load(
                        new ConfigSources(
                                List.of(
                                        Flag.set("dial.try-timeouts=100ms,200ms"),
                                        Flag.set("redirect.address6=fd00::5"),
                                        Flag.set("shutdown.keep-rules=true")),
                                Map.of(
                                        "SLUICE_LISTENER_PORT_RANGE", "20000-20999,21500",
                                        "SLUICE_CONNECTIONS_MAX", "17"),
                                Optional.empty()));

        assertThat(config.dial().tryTimeouts())
                .containsExactly(Duration.ofMillis(100), Duration.ofMillis(200));
        assertThat(config.redirect().address6().map(Object::toString)).contains("fd00::5");
        assertThat(config.shutdown().keepRules()).isTrue();
        assertThat(config.listener().portRanges()).isEqualTo(PortRanges.parse("20000-20999,21500"));
        assertThat(config.connections().max()).hasValue(17);
    }

    @Test
    void rangesOfPodsAreUsedUnlessTheModeSaysOtherwise() throws IOException {
        String ranges = "sluice.node.detect-local.cluster-cidrs = [10.0.0.0/8]\n";

        assertThat(List.of(ranges, ranges + "sluice.node.detect-local.mode = none"))
                .extracting(text -> load(file(text)).node().detectLocal().mode())
                .containsExactly(
                        ProxyConfig.DetectLocal.Detection.CLUSTER_CIDR,
                        ProxyConfig.DetectLocal.Detection.NONE);
        assertThat(load(file("sluice.node.detect-local.cluster-cidrs = []")))
                .isEqualTo(ProxyConfig.defaults());
    }

    @Test
    void namesFileAndLine() throws IOException {
        Path file = file("sluice {\n  shutdown {\n    drain = 25\n  }\n}\n");

        assertThatThrownBy(() -> load(file))
                .isInstanceOf(InvalidConfigException.class)
                .hasMessage(
                        "sluice.shutdown.drain = '25': must be a duration with its unit from 0s to"
                                + " 24h ("
                                + file
                                + ":3)");
    }

    @Test
    void namesVariable() {
        assertThatThrownBy(() -> load(Map.of("SLUICE_SHUTDOWN_DRAIN", "25")))
                .isInstanceOf(InvalidConfigException.class)
                .hasMessageContaining("sluice.shutdown.drain = '25'")
                .hasMessageEndingWith("(environment variable SLUICE_SHUTDOWN_DRAIN)");
    }

    @Test
    void namesFlag() {
        ConfigSources sources =
                new ConfigSources(
                        List.of(new Flag("--redirect", "redirect.mode", "ipvs")),
                        Map.of(),
                        Optional.empty());

        assertThatThrownBy(() -> ConfigLoader.load(sources))
                .hasMessage(
                        "sluice.redirect.mode = 'ipvs': must be one of iptables, none"
                                + " (--redirect)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "=x", "dial.retry-pause"})
    void refusesAFlagThatIsNoPair(String argument) {
        assertThatThrownBy(() -> Flag.set(argument))
                .isInstanceOf(InvalidConfigException.class)
                .hasMessageContaining("'" + argument + "': must be key=value");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "dial.total=1s",
                "nothing=1",
                "dial=1s",
                "dial.total-timeout.x=1s",
                "a..b=1",
                "$=1",
                "sluice=1"
            })
    void refusesAFlagWithAnUnknownKey(String argument) {
        String key = argument.substring(0, argument.indexOf('='));
        ConfigSources sources =
                new ConfigSources(List.of(Flag.set(argument)), Map.of(), Optional.empty());

        assertThatThrownBy(() -> ConfigLoader.load(sources))
                .isInstanceOf(InvalidConfigException.class)
                .hasMessageContaining("--set")
                .hasMessageContaining(key.replace(".x", ""));
    }

    @ParameterizedTest
    @ValueSource(strings = {"dial.total-timeout = 1s", "sluice {}\nslice.dial {}", "\"x y\" = 1"})
    void refusesTopLevelKeysOfAFileOtherThanSluice(String text) throws IOException {
        Path file = file(text);

        assertThatThrownBy(() -> load(file))
                .isInstanceOf(InvalidConfigException.class)
                .hasMessageContaining("there is no such key; all keys are below 'sluice'")
                .hasMessageContaining(file + ":");
    }

    @Test
    void refusesAnUnknownKeyThatAnotherSourceWouldHide() throws IOException {
        Path file = file("sluice.dial = 5");
        ConfigSources sources =
                new ConfigSources(
                        List.of(Flag.set("dial.total-timeout=4s")), Map.of(), Optional.of(file));

        assertThatThrownBy(() -> ConfigLoader.load(sources))
                .isInstanceOf(InvalidConfigException.class)
                .hasMessageContaining("sluice.dial = '5': must be a section");
    }

    @ParameterizedTest
    @ValueSource(strings = {"sluice {", "sluice.dial.total-timeout = ${NOT_THERE_AT_ALL}", "= 1"})
    void namesTheFileThatCanNotBeParsed(String text) throws IOException {
        Path file = file(text);

        assertThatThrownBy(() -> load(file))
                .isInstanceOf(InvalidConfigException.class)
                .hasMessageContaining(file.toString())
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("\n"));
    }

    @Test
    void refusesAFileThatIsNotThere() {
        Path missing = folder.resolve("missing.conf");

        assertThatThrownBy(() -> load(missing))
                .isInstanceOf(InvalidConfigException.class)
                .hasMessage("--config " + missing + ": there is no readable file");
        assertThatThrownBy(() -> load(folder))
                .isInstanceOf(InvalidConfigException.class)
                .hasMessageContaining(folder.toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"SLUICE_DIAL_TOTAL_TIMOUT", "SLUICE_", "SLUICE_FOO_PORT"})
    void refusesAVariableThatNamesNoKey(String name) {
        assertThatThrownBy(() -> load(Map.of(name, "1")))
                .isInstanceOf(InvalidConfigException.class)
                .hasMessage("environment variable " + name + ": there is no key of this name");
    }

    @Test
    void variablesOfServicesWhoseNameBeginsWithSluiceAreNoSettings() {
        Map<String, String> environment =
                Map.ofEntries(
                        Map.entry("SLUICE_SERVICE_HOST", "10.96.0.5"),
                        Map.entry("SLUICE_SERVICE_PORT", "80"),
                        Map.entry("SLUICE_SERVICE_PORT_HTTP", "80"),
                        Map.entry("SLUICE_PORT", "tcp://10.96.0.5:80"),
                        Map.entry("SLUICE_PORT_80_TCP", "tcp://10.96.0.5:80"),
                        Map.entry("SLUICE_PORT_80_TCP_PROTO", "tcp"),
                        Map.entry("SLUICE_PORT_80_TCP_PORT", "80"),
                        Map.entry("SLUICE_PORT_80_TCP_ADDR", "10.96.0.5"),
                        Map.entry("SLUICE_SERVICE_PORT_SERVICE_HOST", "10.96.0.6"),
                        Map.entry("SLUICE_SERVICE_PORT_PORT_53_UDP_PROTO", "udp"),
                        Map.entry("SLUICER", "x"));

        assertThat(load(environment)).isEqualTo(ProxyConfig.defaults());
        assertThatThrownBy(
                        () -> load(Map.of("SLUICE_SERVICE_HOST", "10.96.0.5", "SLUICE_PORTS", "x")))
                .hasMessageContaining("SLUICE_PORTS");
    }

    private Path file(String text) throws IOException {
        return Files.writeString(folder.resolve("sluice.conf"), text);
    }

    private static ProxyConfig load(Path file) {
        return ConfigLoader.load(new ConfigSources(List.of(), Map.of(), Optional.of(file)));
    }

    private static ProxyConfig load(Map<String, String> environment) {
        return ConfigLoader.load(new ConfigSources(List.of(), environment, Optional.empty()));
    }
}
