package dev.sluice.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.ProxyConfig;
import dev.sluice.kubernetes.ManifestServiceSource;
import dev.sluice.model.Endpoint;
import dev.sluice.model.FrontEnd;
import dev.sluice.model.IpFamily;
import dev.sluice.model.ServicePort;
import dev.sluice.model.ServiceSnapshot;
import dev.sluice.model.SessionAffinity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests run in the folder of their module. */
class ManifestsTest {
    private static final Path FOLDER = Path.of("manifests");

    @ParameterizedTest
    @MethodSource
    void everyFileIsReadWithoutAProblem(Path file) {
        ServiceSnapshot snapshot = read(file);

        assertThat(snapshot.problems()).isEmpty();
        assertThat(snapshot.servicePorts().values())
                .isNotEmpty()
                .allSatisfy(port -> assertThat(port.endpoints()).isNotEmpty());
    }

    static List<Path> everyFileIsReadWithoutAProblem() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files.sorted().toList();
        }
    }

    @Test
    void allFilesTogetherAreOneCluster() {
        ServiceSnapshot snapshot = read(FOLDER);

        assertThat(snapshot.problems()).isEmpty();
        assertThat(snapshot.servicePorts().keySet())
                .extracting(Object::toString)
                .containsExactly(
                        "default/client-ip:postgres/tcp",
                        "default/dual-stack:http/tcp",
                        "default/hello-world:http/tcp");
    }

    @Test
    void helloWorldGoesFromPort80ToPort8080OfTwoPods() {
        ServicePort port = only("hello-world.yaml");

        assertThat(port.frontEnds())
                .extracting(FrontEnd::toString)
                .containsExactly("192.0.2.10:80/tcp");
        assertThat(port.endpoints())
                .extracting(Endpoint::toString)
                .containsExactly("198.51.100.11:8080", "198.51.100.12:8080");
        assertThat(port.affinity()).isEqualTo(SessionAffinity.NONE);
    }

    @Test
    void dualStackHasOneFrontEndAndOneEndpointOfEachFamily() {
        ServicePort port = only("dual-stack.yaml");

        assertThat(port.frontEnds())
                .extracting(FrontEnd::toString)
                .containsExactly("192.0.2.20:80/tcp", "[2001:db8::20]:80/tcp");
        assertThat(port.endpoints(IpFamily.IPV4)).hasSize(1);
        assertThat(port.endpoints(IpFamily.IPV6))
                .extracting(Endpoint::toString)
                .containsExactly("[2001:db8:1::21]:8080");
    }

    @Test
    void clientIpKeepsAClientForTenMinutesAndLeavesOutThePodThatIsNotReady() {
        ServicePort port = only("client-ip.yaml");

        assertThat(port.affinity()).isEqualTo(new SessionAffinity.ClientIp(Duration.ofMinutes(10)));
        assertThat(port.endpoints())
                .extracting(Endpoint::toString)
                .containsExactly("198.51.100.31:5432", "198.51.100.33:5432");
    }

    private static ServicePort only(String name) {
        ServiceSnapshot snapshot = read(FOLDER.resolve(name));
        assertThat(snapshot.servicePorts()).hasSize(1);
        return snapshot.servicePorts().values().iterator().next();
    }

    private static ServiceSnapshot read(Path path) {
        try (ManifestServiceSource source =
                new ManifestServiceSource(path, ProxyConfig.defaults())) {
            source.start(() -> {});
            return source.snapshot().orElseThrow();
        }
    }
}
