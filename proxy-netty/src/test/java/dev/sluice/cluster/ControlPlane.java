package dev.sluice.cluster;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.redirect.Namespace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * etcd, kube-apiserver and, if asked for, the endpoint controllers, which the scripts of {@code
 * examples/cluster} run on a node.
 *
 * <p>Threads: the test's.
 */
final class ControlPlane implements AutoCloseable {
    private final Path scripts;
    private final Map<String, String> environment;
    private final Path state;
    private final List<String> prefix;

    private ControlPlane(
            Path scripts, Map<String, String> environment, Path state, List<String> prefix) {
        this.scripts = scripts;
        this.environment = environment;
        this.state = state;
        this.prefix = prefix;
    }

    /**
     * Starts it; skips the test where it is not built.
     *
     * @param node where it listens, on {@code address}
     * @param settings of {@code up.sh}
     */
    static ControlPlane start(Namespace node, String address, Map<String, String> settings)
            throws IOException {
        String scripts = System.getProperty("sluice.cluster-scripts", "");
        assumeTrue(
                !scripts.isEmpty() && isBuilt(),
                "kube-apiserver is not built, as ./mvnw -Pcluster verify does:"
                        + " whether sluice.jar serves a cluster is not tested");
        // Its etcd would not survive a leftover of an earlier run.
        Path state = Files.createTempDirectory(Path.of("/run"), "sluice-cluster-");
        Map<String, String> environment = new HashMap<>(settings);
        environment.put("NS", node.name());
        environment.put("STATE", state.toString());
        environment.put("BIND", address);
        environment.put("ADVERTISE", address);
        ControlPlane controlPlane =
                new ControlPlane(Path.of(scripts), environment, state, node.prefix());
        try {
            controlPlane.script("up.sh");
        } catch (IOException | AssertionError e) {
            controlPlane.close();
            throw e;
        }
        return controlPlane;
    }

    private static boolean isBuilt() {
        String folder =
                System.getenv()
                        .getOrDefault(
                                "KUBE_BIN",
                                System.getProperty("user.home") + "/.cache/sluice/kube-1.20.2");
        return Files.isExecutable(Path.of(folder, "kube-apiserver"))
                && Files.isExecutable(Path.of(folder, "kube-proxy"));
    }

    /** Runs one of the scripts; gives what it printed. */
    String script(String name, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(scripts.resolve(name).toString()));
        command.addAll(List.of(arguments));
        return Programs.run(command, environment, "");
    }

    /** Kubeconfig of somebody who may do everything. */
    Path adminKubeconfig() {
        return state.resolve("admin.kubeconfig");
    }

    /** Kubeconfig of the service account {@code kube-system:sluice}. */
    Path sluiceKubeconfig() {
        return state.resolve("sluice.kubeconfig");
    }

    /** {@code kubectl} with these words, as the admin; gives what it printed. */
    String kubectl(String... words) throws IOException {
        return Programs.run(kubectlCommand(words), environment, "");
    }

    /** {@code kubectl apply} of these documents. */
    void apply(String yaml) throws IOException {
        Programs.run(kubectlCommand("apply", "-f", "-"), environment, yaml);
    }

    /** {@code kubectl create} of documents that are not there yet, the fastest way. */
    void create(String yaml) throws IOException {
        Programs.run(kubectlCommand("create", "-f", "-"), environment, yaml);
    }

    /** PUT of an object's status, as a kubelet does it. */
    void replaceStatus(String path, String json) throws IOException {
        Programs.run(
                kubectlCommand("replace", "--raw", path + "/status", "-f", "-"), environment, json);
    }

    private List<String> kubectlCommand(String... words) {
        List<String> command = new ArrayList<>(prefix);
        command.addAll(
                List.of(
                        "kubectl",
                        "--kubeconfig",
                        adminKubeconfig().toString(),
                        // What a server of the same address had is not what this one has.
                        "--cache-dir",
                        state.resolve("kubectl").toString()));
        command.addAll(List.of(words));
        return command;
    }

    @Override
    public void close() throws IOException {
        script("down.sh");
    }
}
