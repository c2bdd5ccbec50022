package dev.sluice.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ServerAddressTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://192.0.2.1:6443",
                "https://192.0.2.1",
                "https://api.example.com:6443/",
                "https://[2001:db8::1]:6443",
                "HTTPS://192.0.2.1",
                "http://127.0.0.1:8001",
                "http://[::1]:8001",
                "http://localhost:8001"
            })
    void takesServers(String text) {
        assertThat(ServerAddress.parse(text)).hasToString(text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "192.0.2.1",
                "192.0.2.1:6443",
                "https:///",
                "https://:6443",
                "https://user@192.0.2.1",
                "https://192.0.2.1/api",
                "https://192.0.2.1?a=b",
                "https://192.0.2.1#a",
                "https://192.0.2.1:6443 ",
                "ftp://192.0.2.1",
                "http://192.0.2.1",
                "http://127.0.0.1.example.com",
                "http://[2001:db8::1]"
            })
    void refusesAllElse(String text) {
        assertThatThrownBy(() -> ServerAddress.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("must be a URL of scheme https with host and port only");
    }
}
