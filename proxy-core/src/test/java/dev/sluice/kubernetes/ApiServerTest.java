package dev.sluice.kubernetes;

import static dev.sluice.kubernetes.FollowedSource.NO_POD;
import static dev.sluice.kubernetes.FollowedSource.PACE;
import static dev.sluice.kubernetes.KubernetesFixtures.service;
import static dev.sluice.kubernetes.ScriptedApi.SERVICES;
import static dev.sluice.kubernetes.ScriptedApi.SLICES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.InvalidConfigException;
import dev.sluice.config.ProxyConfig;
import dev.sluice.kubernetes.ScriptedApi.Refusal;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where the API server is said to be, and who the program says it is. */
@Timeout(60)
class ApiServerTest {
    private static final String WEB = "web [10.96.0.1] -> []";

    @TempDir private Path folder;

    @Test
    void theAddressThatIsSetWinsOverTheKubeconfig() throws IOException {
        Path kubeconfig = kubeconfig("https://192.0.2.1:6443", "{}");

        try (ApiServer byFile = server(kubeconfig, null, false);
                ApiServer bySetting =
                        server(kubeconfig, URI.create("https://192.0.2.2:6443"), false)) {
            assertThat(byFile.address()).hasToString("https://192.0.2.1:6443/");
            assertThat(bySetting.address()).hasToString("https://192.0.2.2:6443/");
        }
    }

    @Test
    void aPodFindsItsServer() {
        Map<String, String> pod =
                Map.of("KUBERNETES_SERVICE_HOST", "fd00::1", "KUBERNETES_SERVICE_PORT", "6443");

        assertThat(ApiServer.inPod(pod)).hasToString("Optional[https://[fd00::1]:6443]");
        assertThat(ApiServer.inPod(Map.of())).isEmpty();
        assertThatThrownBy(
                        () ->
                                ApiServer.inPod(
                                        Map.of(
                                                "KUBERNETES_SERVICE_HOST",
                                                "a host",
                                                "KUBERNETES_SERVICE_PORT",
                                                "x")))
                .isInstanceOf(InvalidConfigException.class)
                .hasMessageContaining("KUBERNETES_SERVICE_HOST 'a host'");
    }

    @Test
    void withoutAnyPlaceTheFlagIsNamed() {
        assertThatThrownBy(
                        () ->
                                ApiServer.of(
                                        new ProxyConfig.Kubernetes(
                                                Optional.empty(),
                                                Optional.empty(),
                                                Optional.empty(),
                                                Optional.empty(),
                                                false,
                                                true),
                                        Map.of(),
                                        NO_POD,
                                        PACE))
                .isInstanceOf(InvalidConfigException.class)
                .hasMessageContaining("--kubeconfig");
    }

    @Test
    void aTokenThatIsReplacedIsUsedFromTheNextRequestOn() throws Exception {
        Path pod = Files.createDirectory(folder.resolve("pod"));
        Path token = Files.writeString(pod.resolve("token"), "first\n");
        try (ScriptedApi api = new ScriptedApi()) {
            api.requireToken("first");
            api.put(SERVICES, service("web", "10.96.0.1"));
            try (FollowedSource source = new FollowedSource(inPod(api, pod))) {
                source.awaitServed(WEB);
                await().until(() -> api.openWatches(SERVICES) == 1 && api.openWatches(SLICES) == 1);

                Files.writeString(token, "");
                api.requireToken("second");
                api.dropWatches();
                await().until(() -> source.watch("services").failure().isPresent());
                Files.writeString(token, "second\n");
                api.put(SERVICES, service("new", "10.96.0.9"));

                source.awaitServed("new [10.96.0.9] -> []", WEB);
            }
        }
    }

    @Test
    void aTokenFileOfAKubeconfigIsFoundBesideIt() throws Exception {
        Files.writeString(folder.resolve("my-token"), "secret");
        try (ScriptedApi api = new ScriptedApi()) {
            api.requireToken("secret");
            api.put(SERVICES, service("web", "10.96.0.1"));
            Path kubeconfig = kubeconfig(api.address().toString(), "{tokenFile: my-token}");
            try (FollowedSource source = new FollowedSource(server(kubeconfig, null, false))) {
                source.awaitServed(WEB);
            }
        }
    }

    @Test
    void aRedirectIsNotFollowedAndTakesNoTokenAway() throws Exception {
        Path pod = Files.createDirectory(folder.resolve("pod"));
        Files.writeString(pod.resolve("token"), "secret");
        try (ScriptedApi collector = new ScriptedApi();
                ScriptedApi api = new ScriptedApi()) {
            api.refuse(
                    SERVICES,
                    false,
                    2,
                    new Refusal(302, Map.of("Location", collector.address() + SERVICES)));
            try (FollowedSource source = new FollowedSource(inPod(api, pod))) {
                await().until(() -> api.refusalsLeft(SERVICES, false) == 0);
                assertThat(source.watch("services").failures()).isPositive();
            }
            assertThat(collector.requests(any -> true)).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{exec: {command: touch, args: [ran]}} | has an entry 'exec'",
                "{auth-provider: {name: oidc}}          | has an entry 'auth-provider'"
            })
    void foreignCredentialsAreRefusedBeforeTheyRun(String user, String rule) throws IOException {
        Path kubeconfig = kubeconfig("https://192.0.2.1:6443", user);

        assertThatThrownBy(() -> server(kubeconfig, null, false))
                .isInstanceOf(InvalidConfigException.class)
                .hasMessageContaining("sluice.kubernetes.kubeconfig '" + kubeconfig + "'")
                .hasMessageContaining("user 'me' " + rule)
                .hasMessageContaining("sluice.kubernetes.allow-exec");
    }

    @Test
    void aProgramThatIsAllowedGivesTheToken() throws Exception {
        Path program = folder.resolve("give-token");
        Files.writeString(
                program,
                """
                #!/bin/sh
                echo '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1",\
                "status":{"token":"given"}}'
                """);
        assertThat(program.toFile().setExecutable(true)).isTrue();
        try (ScriptedApi api = new ScriptedApi()) {
            api.requireToken("given");
            api.put(SERVICES, service("web", "10.96.0.1"));
            Path kubeconfig =
                    kubeconfig(
                            api.address().toString(),
                            "{exec: {apiVersion: client.authentication.k8s.io/v1, command: '"
                                    + program
                                    + "'}}");
            try (FollowedSource source = new FollowedSource(server(kubeconfig, null, true))) {
                source.awaitServed(WEB);
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "[]                                  | must be a map",
                "{}                                  | has no current-context",
                "{current-context: c}                | has no entry 'c' in contexts",
                "a: [                                | is not YAML",
                "{current-context: c, contexts: [{name: c, context: {cluster: x, user: u}}]}"
                        + " | has no entry 'x' in clusters",
                "{current-context: c, contexts: [{name: c, context: {cluster: x, user: u}}],"
                        + " clusters: [{name: x, cluster: {}}]} | has no address (server)",
                "{current-context: c, contexts: [{name: c, context: {cluster: x, user: u}}],"
                        + " clusters: [{name: x, cluster: {server: 'https://192.0.2.1'}}]}"
                        + " | has no entry 'u' in users",
                "{current-context: c, contexts: [{name: c, context: {cluster: x}}],"
                        + " clusters: [{name: x, cluster: {server: 'http://192.0.2.1'}}]}"
                        + " | must be a URL of scheme https",
                "{current-context: c, contexts: [{name: c, context: {cluster: x}}],"
                        + " clusters: [{name: x, cluster: {server: 'https://192.0.2.1',"
                        + " tls-server-name: a}}]} | has an entry 'tls-server-name'",
                "!!javax.script.ScriptEngineManager [] | is not YAML"
            })
    void aKubeconfigThatCantBeUsedSaysWhy(String text, String rule) throws IOException {
        Path kubeconfig = Files.writeString(folder.resolve("kubeconfig"), "# ours\n" + text);

        assertThatThrownBy(() -> server(kubeconfig, null, false))
                .isInstanceOf(InvalidConfigException.class)
                .hasMessageContaining("sluice.kubernetes.kubeconfig '" + kubeconfig + "'")
                .hasMessageContaining(rule);
    }

    @Test
    void aKubeconfigThatIsMissingSaysSo() {
        assertThatThrownBy(() -> server(folder.resolve("none"), null, false))
                .isInstanceOf(InvalidConfigException.class)
                .hasMessageContaining("cannot be read: ");
    }

    @Test
    void aCertificateThatIsNoneSaysSo() throws IOException {
        Path ca = Files.writeString(folder.resolve("ca.crt"), "none");

        assertThatThrownBy(
                        () ->
                                ApiServer.of(
                                        new ProxyConfig.Kubernetes(
                                                Optional.empty(),
                                                Optional.of(URI.create("https://192.0.2.1")),
                                                Optional.of(ca),
                                                Optional.empty(),
                                                false,
                                                true),
                                        Map.of(),
                                        NO_POD,
                                        PACE))
                .isInstanceOf(InvalidConfigException.class)
                .hasMessageStartingWith("CA file '" + ca + "' must hold certificates in PEM");
    }

    private static ApiServer inPod(ScriptedApi api, Path pod) {
        return ApiServer.of(
                new ProxyConfig.Kubernetes(
                        Optional.empty(),
                        Optional.of(api.address()),
                        Optional.empty(),
                        Optional.empty(),
                        false,
                        true),
                Map.of(),
                pod,
                PACE);
    }

    private static ApiServer server(Path kubeconfig, @Nullable URI address, boolean allowExec) {
        return ApiServer.of(
                new ProxyConfig.Kubernetes(
                        Optional.of(kubeconfig),
                        Optional.ofNullable(address),
                        Optional.empty(),
                        Optional.empty(),
                        allowExec,
                        true),
                Map.of(),
                NO_POD,
                PACE);
    }

    private Path kubeconfig(String server, String user) throws IOException {
        return Files.writeString(
                folder.resolve("kubeconfig"),
                """
                apiVersion: v1
                kind: Config
                current-context: here
                contexts:
                - {name: here, context: {cluster: ours, user: me}}
                clusters:
                - {name: ours, cluster: {server: '%s'}}
                users:
                - {name: me, user: %s}
                - {name: other, user: {exec: {command: never}}}
                """
                        .formatted(server, user));
    }
}
