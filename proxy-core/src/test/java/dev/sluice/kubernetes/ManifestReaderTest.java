package dev.sluice.kubernetes;

import static dev.sluice.kubernetes.KubernetesFixtures.endpointsOf;
import static dev.sluice.kubernetes.KubernetesFixtures.names;
import static dev.sluice.kubernetes.KubernetesFixtures.only;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.Problem;
import dev.sluice.model.ServiceSnapshot;
import dev.sluice.model.SessionAffinity;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ManifestReaderTest {
    private static final String GOOD =
            """
            apiVersion: v1
            kind: Service
            metadata: {name: good}
            spec: {clusterIP: 10.96.0.1, ports: [{port: 80}]}
            ---
            apiVersion: discovery.k8s.io/v1
            kind: EndpointSlice
            metadata: {name: good-1, labels: {kubernetes.io/service-name: good}}
            addressType: IPv4
            ports: [{port: 8080}]
            endpoints: [{addresses: [10.244.0.5]}]
            """;

    @TempDir Path folder;

    @Test
    void aWholeManifestIsServed() throws IOException {
        write("web.yaml", resource("manifests/web.yaml"));

        ServiceSnapshot snapshot = read();

        assertThat(snapshot.problems()).isEmpty();
        assertThat(only(snapshot).name()).hasToString("default/web:http/tcp");
        assertThat(only(snapshot).affinity()).isInstanceOf(SessionAffinity.ClientIp.class);
        assertThat(endpointsOf(snapshot, "web"))
                .containsExactly("10.244.0.5:8080", "[fd00:244::5]:8080");
    }

    @Test
    void absentNamesOfPortsAndNamespacesAreFilledIn() throws IOException {
        write("good.yaml", GOOD);

        assertThat(only(read()).toString()).contains("default/good/tcp", "10.244.0.5:8080");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\n", "\r\n"})
    void whatKubectlAcceptsIsServedAsWell(String lineEnd) throws IOException {
        String text = resource("manifests/kubectl.yaml");
        write("a.yaml", "\uFEFF" + text.replace("\n", lineEnd));

        ServiceSnapshot snapshot = read();

        assertThat(snapshot.problems()).isEmpty();
        assertThat(names(snapshot)).containsExactly("cache/", "shop/http", "shop/metrics");
        assertThat(endpointsOf(snapshot, "shop"))
                .containsExactly(
                        "10.244.0.5:8080", "10.244.0.6:8080", "10.244.0.5:9090", "10.244.0.6:9090");
        assertThat(endpointsOf(snapshot, "cache")).containsExactly("10.244.1.5:6379");
    }

    @Test
    void anAnnotationMayBeLong() throws IOException {
        String annotation = "{\"kind\": \"Service\"}".repeat(10_000);
        write(
                "a.yaml",
                GOOD.replace(
                        "{name: good}",
                        "{name: good, annotations: {last-applied: '" + annotation + "'}}"));

        assertThat(names(read())).containsExactly("good/");
    }

    @ParameterizedTest
    @ValueSource(strings = {"~", "Null", "False", "FALSE", "false"})
    void anUnquotedBooleanMayBeAbsentOrOfAnyCase(String text) throws IOException {
        write(
                "good.yaml",
                GOOD.replace("spec: {", "spec: {publishNotReadyAddresses: " + text + ","));

        ServiceSnapshot snapshot = read();

        assertThat(snapshot.problems()).isEmpty();
        assertThat(names(snapshot)).containsExactly("good/");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "spec: {clusterIP: 10.96.0.2, ports: [{port: eighty}]}"
                        + " | spec.ports[0].port 'eighty' is not an integer of 32 bits",
                "spec: {clusterIP: 10.96.0.2, ports: [{port: '80'}]}"
                        + " | spec.ports[0].port '80' is not an integer of 32 bits",
                "spec: {clusterIP: 10.96.0.2, ports: [{port: 010}]}"
                        + " | spec.ports[0].port '010' is not an integer of 32 bits",
                "spec: {clusterIP: 10.96.0.2, ports: [{port: 80.5}]}"
                        + " | spec.ports[0].port '80.5' is not an integer of 32 bits",
                "spec: {clusterIP: 10.96.0.2, ports: [{port: 80}, {port: 99999999999}]}"
                        + " | spec.ports[1].port '99999999999' is not an integer of 32 bits",
                "spec: {clusterIP: 10.96, ports: [{port: 80}]}"
                        + " | spec.clusterIP '10.96' is not a string (quotes make it one)",
                "spec: {clusterIP: 10.96.0.2, ports: 80} | spec.ports '80' is not a list",
                "spec: {clusterIP: 10.96.0.2, ports: {port: 80}}"
                        + " | spec.ports '{port=80}' is not a list",
                "spec: web | spec 'web' is not an object",
                "spec: {publishNotReadyAddresses: 'true'}"
                        + " | spec.publishNotReadyAddresses 'true' is not true or false",
                "spec: {publishNotReadyAddresses: maybe}"
                        + " | spec.publishNotReadyAddresses 'maybe' is not true or false",
                "spec: {publishNotReadyAddresses: yes}"
                        + " | spec.publishNotReadyAddresses 'yes' is not true or false",
                "spec: {type: True} | spec.type 'true' is not a string (quotes make it one)",
                "spec: {externalName: 0x10}"
                        + " | spec.externalName '16' is not a string (quotes make it one)",
            })
    void aValueOfTheWrongTypeIsNamed(String spec, String problem) throws IOException {
        write("a.yaml", "apiVersion: v1\nkind: Service\nmetadata: {name: bad}\n" + spec);
        write("good.yaml", GOOD);

        ServiceSnapshot snapshot = read();

        assertThat(names(snapshot)).containsExactly("good/");
        assertThat(problems(snapshot)).containsExactly("a.yaml document 1: " + problem);
    }

    @Test
    void aValueOutsideItsRangeIsNamedWithItsPlace() throws IOException {
        write(
                "a.yaml",
                GOOD
                        + """
                        ---
                        apiVersion: v1
                        kind: Service
                        metadata: {name: bad, namespace: shop}
                        spec: {clusterIP: 10.96.0.2, ports: [{port: 65536}]}
                        """);

        assertThat(problems(read()))
                .containsExactly(
                        "a.yaml document 3: Service shop/bad: spec.ports[0].port '65536' is not in"
                                + " 1..65535");
    }

    @Test
    void aBrokenDocumentLeavesTheRestOfItsFile() throws IOException {
        write("a.yaml", "kind: [\n---\n" + GOOD + "---\n- 1\n---\nkind: Service\n---\na: b\n");

        ServiceSnapshot snapshot = read();

        assertThat(names(snapshot)).containsExactly("good/");
        assertThat(endpointsOf(snapshot, "good")).containsExactly("10.244.0.5:8080");
        List<String> problems = problems(snapshot);
        assertThat(problems).hasSize(4);
        assertThat(problems.get(0))
                .startsWith("a.yaml document 1: is not YAML: ")
                .contains("line ");
        assertThat(problems.subList(1, 4))
                .containsExactly(
                        "a.yaml document 4: is not an object",
                        "a.yaml document 5: apiVersion is missing",
                        "a.yaml document 6: kind is missing");
    }

    @Test
    void unknownFieldsAreLetThrough() throws IOException {
        write("a.yaml", GOOD.replace("spec: {", "spec: {newField: {a: [1]}, ") + "newer: true\n");

        ServiceSnapshot snapshot = read();

        assertThat(endpointsOf(snapshot, "good")).containsExactly("10.244.0.5:8080");
        assertThat(snapshot.problems()).isEmpty();
    }

    @Test
    void listsOfEachKindAreReadItemByItem() throws IOException {
        write(
                "a.json",
                """
                {"apiVersion": "v1", "kind": "List", "items": [
                  {"apiVersion": "v1", "kind": "ServiceList", "items": [
                    {"metadata": {"name": "a"},
                     "spec": {"clusterIP": "10.96.0.1", "ports": [{"port": 80}]}},
                    {"metadata": {"name": "b"},
                     "spec": {"clusterIP": "10.96.0.2", "ports": [{"port": "x"}]}}]},
                  {"apiVersion": "v1", "kind": "EndpointsList", "items": [
                    {"metadata": {"name": "a"},
                     "subsets": [{"addresses": [{"ip": "10.244.0.5"}],
                                  "notReadyAddresses": [{"ip": "10.244.0.6"}],
                                  "ports": [{"port": 8080}]}]}]},
                  {"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSliceList", "items": null},
                  null]}
                """);

        ServiceSnapshot snapshot = read();

        assertThat(endpointsOf(snapshot, "a")).containsExactly("10.244.0.5:8080");
        assertThat(problems(snapshot))
                .containsExactly(
                        "a.json document 1 items[0] items[1]: spec.ports[0].port 'x' is not an"
                                + " integer of 32 bits",
                        "a.json document 1 items[3]: is not an object");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "v2                        | Service       | Service is read as v1",
                "discovery.k8s.io/v1beta1  | EndpointSlice | is read as discovery.k8s.io/v1",
                "v1                        | EndpointSlice | is read as discovery.k8s.io/v1",
                "example.com/v1            | EndpointSlice |",
                "serving.knative.dev/v1    | Service       |",
                "apps/v1                   | Deployment    |",
            })
    void otherVersionsAreNamedAndOtherGroupsIgnored(String version, String kind, String problem)
            throws IOException {
        write("a.yaml", "apiVersion: " + version + "\nkind: " + kind + "\n");

        if (problem == null) {
            assertThat(read()).isEqualTo(ServiceSnapshot.EMPTY);
        } else {
            assertThat(problems(read())).singleElement().asString().endsWith(problem);
        }
    }

    @Test
    void theFirstOfTwoObjectsOfOneNameIsServed() throws IOException {
        write("b.yaml", GOOD.replace("10.96.0.1", "10.96.0.2").replace("0.5]", "0.6]"));
        write("a.yaml", GOOD);

        ServiceSnapshot snapshot = read();

        assertThat(only(snapshot).clusterIps()).asString().isEqualTo("[10.96.0.1]");
        assertThat(endpointsOf(snapshot, "good")).containsExactly("10.244.0.5:8080");
        assertThat(problems(snapshot))
                .containsExactly(
                        "b.yaml document 1: metadata.name 'Service default/good' stands in a.yaml"
                                + " document 1, too",
                        "b.yaml document 2: metadata.name 'EndpointSlice default/good-1' stands in"
                                + " a.yaml document 2, too");
    }

    @Test
    void filesThatAreTooLargeOrNoTextAreNamed() throws IOException {
        Files.write(folder.resolve("latin.yaml"), "a: ü".getBytes(StandardCharsets.ISO_8859_1));
        try (RandomAccessFile large =
                new RandomAccessFile(folder.resolve("large.yaml").toFile(), "rw")) {
            large.setLength(ManifestFile.LARGEST + 1L);
        }
        Files.createSymbolicLink(folder.resolve("dangling.yaml"), folder.resolve("nowhere"));
        write("good.yaml", "\uFEFF" + GOOD);

        ServiceSnapshot snapshot = read();

        assertThat(names(snapshot)).containsExactly("good/");
        assertThat(problems(snapshot))
                .containsExactly(
                        "dangling.yaml: cannot be read: there is no such file or folder",
                        "large.yaml: cannot be read: is larger than 32 MiB",
                        "latin.yaml: cannot be read: is not UTF-8");
    }

    @Test
    void onlyManifestsOfTheFolderItselfAreRead() throws IOException {
        write("good.yaml", GOOD);
        write(".hidden.yaml", "kind: [");
        write("web.yaml.swp", "kind: [");
        Files.createDirectory(folder.resolve("folder.yaml"));
        Files.createDirectory(folder.resolve("sub"));
        Files.writeString(folder.resolve("sub/a.yaml"), "kind: [");

        assertThat(read().problems()).isEmpty();
        assertThat(ManifestFile.in(folder)).hasSize(1);
    }

    private ServiceSnapshot read() throws IOException {
        ManifestReader reader = new ManifestReader(new ObjectConverter());
        ManifestFile.in(folder).forEach(reader::read);
        ServiceSnapshot built =
                new SnapshotBuilder(KubernetesFixtures.RULES)
                        .build(reader.objects(), KubernetesFixtures.NODE);
        List<Problem> problems = new ArrayList<>(reader.problems());
        problems.addAll(built.problems());
        return new ServiceSnapshot(built.servicePorts(), problems);
    }

    private static List<String> problems(ServiceSnapshot snapshot) {
        return KubernetesFixtures.problems(snapshot);
    }

    private void write(String name, String text) throws IOException {
        Files.writeString(folder.resolve(name), text);
    }

    static String resource(String name) throws IOException {
        try (var in = ManifestReaderTest.class.getClassLoader().getResourceAsStream(name)) {
            if (in == null) {
                throw new AssertionError("no resource " + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
