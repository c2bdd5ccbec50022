package dev.sluice.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.peer.Behaviour;
import dev.sluice.redirect.Namespace;
import dev.sluice.redirect.RedirectException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.core.ThrowingRunnable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A cluster of three nodes, in network namespaces on one link: on each a pod that serves, a pod
 * that asks, and the program; beside them an API server, and a host that belongs to no node. All
 * tests of a run share it; after each the Services are gone, and with them every rule that names
 * one.
 *
 * <p>Pods of node {@code n} have the addresses {@code 10.1.n.x} and {@code fd01:n::x}.
 *
 * <p>Threads: the test's.
 */
final class ThreeNodes implements BeforeEachCallback, AfterEachCallback {
    /** What the published tests allow for a change of endpoints to be seen. */
    static final Duration ENDPOINT_LAG = Duration.ofSeconds(30);

    private static final ExtensionContext.Namespace STORE =
            ExtensionContext.Namespace.create(ThreeNodes.class);
    private static final String API = "192.0.2.1";

    private @Nullable Nodes nodes;

    /** One node with what is on it. */
    record Node(String name, String ipv4, String ipv6, Pod host, Pod server, Pod client) {}

    @Override
    public void beforeEach(ExtensionContext context) throws Exception {
        nodes =
                context.getRoot()
                        .getStore(STORE)
                        .getOrComputeIfAbsent(Nodes.class, key -> Nodes.create(), Nodes.class);
    }

    @Override
    public void afterEach(ExtensionContext context) throws Exception {
        if (nodes == null) {
            return;
        }
        if (context.getExecutionException().isPresent()) {
            nodes.sluices.forEach(sluice -> System.err.println("log of sluice:\n" + sluice.log()));
        }
        api().call(
                        kept -> {
                            kept.get(ApiProgram.NAME, ApiProgram.class).deleteAll();
                            return true;
                        });
        for (Node node : all()) {
            eventually(() -> assertThat(rules(node)).doesNotContain("10.96.", "203.0.113."));
            node.client().closeAll();
        }
    }

    private Nodes nodes() {
        return Objects.requireNonNull(nodes, "no test runs");
    }

    private Pod api() {
        return nodes().api;
    }

    List<Node> all() {
        return nodes().all;
    }

    /**
     * @param number 1 to 3
     */
    Node node(int number) {
        return all().get(number - 1);
    }

    /** A host on the link of the nodes that is none of them. */
    Pod outside() {
        return nodes().outside;
    }

    /** The hosts of the nodes and their clients. */
    Stream<Pod> clients() {
        return all().stream().flatMap(node -> Stream.of(node.host(), node.client()));
    }

    void apply(ServiceText service) throws IOException {
        apply(service.yaml());
    }

    void apply(String yaml) throws IOException {
        api().call(
                        kept -> {
                            kept.get(ApiProgram.NAME, ApiProgram.class).apply(yaml);
                            return true;
                        });
    }

    void delete(ServiceText service) throws IOException {
        String name = service.name();
        api().call(
                        kept -> {
                            kept.get(ApiProgram.NAME, ApiProgram.class).delete(name);
                            return true;
                        });
    }

    /** The same Service with the servers of these nodes as ready endpoints. */
    ServiceText on(ServiceText service, int... numbers) {
        ServiceText served = service.withoutEndpoints();
        for (int number : numbers) {
            served = served.with(node(number).server(), node(number).name());
        }
        return served;
    }

    /** Until each client on a node or in a pod is answered by exactly these, in whatever order. */
    void expectAnswers(InetSocketAddress service, String... names) {
        clients().forEach(client -> expectAnswers(client, service, names));
    }

    void expectAnswers(Pod client, InetSocketAddress service, String... names) {
        eventually(
                () ->
                        assertThat(client.ask(service, 4 * names.length).keySet())
                                .as(client + " to " + service)
                                .containsExactlyInAnyOrder(names));
    }

    void expectRefused(InetSocketAddress service) {
        expectAnswers(service, Clients.REFUSED);
    }

    /** Until a client hears nothing, neither yes nor no. */
    void expectSilence(Pod client, InetSocketAddress service) {
        eventually(
                () ->
                        assertThat(client.askBriefly(service))
                                .as(client + " to " + service)
                                .isEqualTo(Clients.TIMEOUT));
    }

    void expectDatagrams(Pod client, InetSocketAddress service, String... names) {
        eventually(
                () -> {
                    Set<String> answers = new TreeSet<>();
                    for (int i = 0; i < 4 * names.length; i++) {
                        answers.add(Datagrams.ask(client, service));
                    }
                    assertThat(answers)
                            .as(client + " to " + service)
                            .containsExactlyInAnyOrder(names);
                });
    }

    void expectDatagrams(InetSocketAddress service, String... names) {
        clients().forEach(client -> expectDatagrams(client, service, names));
    }

    /** A NodePort on the address of a node. */
    static InetSocketAddress at(Node node, int nodePort) {
        return new InetSocketAddress(node.ipv4(), nodePort);
    }

    static String rules(Node node) throws RedirectException {
        return node.host().namespace().ruleset();
    }

    /** Ends the program on a node and starts it again. */
    void restart(int number) throws Exception {
        nodes().restart(number - 1);
    }

    /** Within the time that the published tests allow. */
    static void eventually(ThrowingRunnable assertion) {
        await().atMost(ENDPOINT_LAG).pollInterval(Duration.ofMillis(100)).untilAsserted(assertion);
    }

    /** The namespaces and processes of a run. */
    private static final class Nodes implements AutoCloseable {
        private final List<Namespace> namespaces = new ArrayList<>();
        private final List<Pod> pods = new ArrayList<>();
        private final List<Node> all = new ArrayList<>();
        private final List<Sluice> sluices = new ArrayList<>();
        private final Namespace link;
        private final Pod api;
        private final Pod outside;
        private final Path state;

        private static Nodes create() {
            assumeTrue(
                    System.getProperty("sluice.jar") != null,
                    "system property sluice.jar is not set, as ./mvnw verify does: three nodes are not tested");
            try {
                return new Nodes();
            } catch (Exception e) {
                throw new IllegalStateException("three nodes could not be set up", e);
            }
        }

        private Nodes() throws Exception {
            boolean complete = false;
            try {
                state = Files.createTempDirectory("sluice-nodes");
                link = namespace("link-");
                link.ip("link add lan type bridge");
                link.ip("link set lan up");
                link.ip("addr add " + API + "/24 dev lan");
                link.ip("addr add 2001:db8::1/64 dev lan");
                api = pod(link, API, "2001:db8::1");
                api.call(
                        kept -> {
                            kept.put(ApiProgram.NAME, ApiProgram.start(API));
                            return true;
                        });
                for (int number = 1; number <= 3; number++) {
                    all.add(node(number));
                }
                connect();
                outside = pod(onLink("outside-", 200), "192.0.2.200", "2001:db8::200");
                for (int i = 0; i < all.size(); i++) {
                    all.get(i)
                            .host()
                            .call(
                                    kept -> {
                                        kept.put(ApiProgram.NAME, new ApiOnLoopback(API));
                                        return true;
                                    });
                    sluices.add(start(i));
                }
                sluices.forEach(Sluice::awaitServing);
                complete = true;
            } finally {
                if (!complete) {
                    close();
                }
            }
        }

        private Namespace namespace(String role) throws RedirectException {
            Namespace namespace = Namespace.create("e2e-" + role);
            namespaces.add(namespace);
            return namespace;
        }

        private Pod pod(Namespace namespace, String ipv4, String ipv6) throws IOException {
            Pod pod = new Pod(namespace, ipv4, ipv6);
            pods.add(pod);
            return pod;
        }

        /** A host on the link, whose way to everywhere else leads to nobody. */
        private Namespace onLink(String role, int number) throws RedirectException {
            Namespace host = namespace(role);
            link.ip("link add v" + number + " type veth peer name eth0 netns " + host.name());
            link.ip("link set v" + number + " master lan up");
            host.ip("link set eth0 up");
            host.ip("addr add 192.0.2." + number + "/24 dev eth0");
            host.ip("addr add 2001:db8::" + number + "/64 dev eth0");
            host.ip("route add default via " + API);
            host.ip("-6 route add default via 2001:db8::1");
            return host;
        }

        private Node node(int number) throws IOException, RedirectException {
            Namespace host = onLink("node" + number + "-", 10 + number);
            host.run("sysctl", "-qw", "net.ipv4.ip_forward=1", "net.ipv6.conf.all.forwarding=1");
            host.ip("link add br0 type bridge");
            host.ip("link set br0 up");
            host.ip("addr add 10.1." + number + ".1/24 dev br0");
            host.ip("addr add fd01:" + number + "::1/64 dev br0");
            String name = "node-" + number;
            Pod server = podOn(host, number, "server", 10);
            server.serve(() -> Behaviour.id(name));
            Datagrams.serve(server, name);
            return new Node(
                    name,
                    "192.0.2.1" + number,
                    "2001:db8::1" + number,
                    pod(host, "192.0.2.1" + number, "2001:db8::1" + number),
                    server,
                    podOn(host, number, "client", 20));
        }

        private Pod podOn(Namespace host, int node, String role, int number)
                throws IOException, RedirectException {
            Namespace pod = namespace(role + node + "-");
            host.ip("link add veth" + number + " type veth peer name eth0 netns " + pod.name());
            host.ip("link set veth" + number + " master br0 up");
            String ipv4 = "10.1." + node + "." + number;
            String ipv6 = "fd01:" + node + "::" + number;
            pod.ip("link set eth0 up");
            pod.ip("addr add " + ipv4 + "/24 dev eth0");
            pod.ip("addr add " + ipv6 + "/64 dev eth0");
            pod.ip("route add default via 10.1." + node + ".1");
            pod.ip("-6 route add default via fd01:" + node + "::1");
            return pod(pod, ipv4, ipv6);
        }

        private void connect() throws RedirectException {
            for (int from = 1; from <= 3; from++) {
                for (int to : IntStream.rangeClosed(1, 3).toArray()) {
                    if (from != to) {
                        Namespace host = all.get(from - 1).host().namespace();
                        host.ip("route add 10.1." + to + ".0/24 via 192.0.2.1" + to);
                        host.ip("-6 route add fd01:" + to + "::/64 via 2001:db8::1" + to);
                    }
                }
            }
        }

        private Sluice start(int index) throws IOException {
            int number = index + 1;
            List<String> arguments = new ArrayList<>(List.of("run"));
            for (String setting :
                    List.of(
                            "kubernetes.api-server=http://127.0.0.1:" + ApiProgram.PORT,
                            "node.name=node-" + number,
                            "node.detect-local.mode=cluster-cidr",
                            "node.detect-local.cluster-cidrs=10.1."
                                    + number
                                    + ".0/24,fd01:"
                                    + number
                                    + "::/64",
                            "state.directory=" + state.resolve("node-" + number),
                            "reconcile.min-rule-interval=100ms")) {
                arguments.addAll(List.of("--set", setting));
            }
            return Sluice.start(all.get(index).host().namespace(), arguments);
        }

        private void restart(int index) throws Exception {
            Sluice before = sluices.get(index);
            before.terminate();
            int exitCode = before.awaitExit(Duration.ofSeconds(40));
            // Other tests go on with this node, whatever became of the one before.
            sluices.set(index, start(index));
            assertThat(exitCode).as(before.log()).isZero();
            sluices.get(index).awaitServing();
        }

        @Override
        public void close() throws IOException, RedirectException {
            try {
                for (Sluice sluice : sluices) {
                    sluice.kill();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            for (Pod pod : pods) {
                pod.close();
            }
            for (Namespace namespace : namespaces) {
                namespace.close();
            }
            Testbed.delete(state);
        }
    }
}
