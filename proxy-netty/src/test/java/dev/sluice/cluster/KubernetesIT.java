package dev.sluice.cluster;

import static dev.sluice.cluster.Lab.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.e2e.Clients;
import dev.sluice.e2e.Datagrams;
import dev.sluice.e2e.Pod;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** Objects of a real API server, changed with kubectl and by the real endpoint controllers. */
@Tag("cluster")
@Timeout(180)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class KubernetesIT {
    private static final int MANY = 200;

    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private Lab lab;
    private ControlPlane controlPlane;
    private SluiceOnNode sluice;

    @BeforeAll
    void start() throws Exception {
        lab = new Lab(Map.of("CONTROLLERS", "1", "AUTHZ", "RBAC"));
        open.push(lab);
        controlPlane = lab.controlPlane();
        controlPlane.apply(Rbac.manifest());
        sluice = new SluiceOnNode(lab, "--set", "reconcile.min-rule-interval=100ms");
        open.push(sluice);
        sluice.start();
    }

    @AfterAll
    void end() throws Exception {
        while (!open.isEmpty()) {
            open.pop().close();
        }
    }

    @Test
    void aServiceAndItsSliceByHand() throws Exception {
        HandMadeService web = HandMadeService.of("by-hand", "10.96.1.1");
        controlPlane.apply(web.yaml(lab.a(), lab.b()));
        lab.awaitRule(web.address());
        eventually(() -> assertThat(ask(web.address(), 2)).isEqualTo(Map.of("a", 1, "b", 1)));
        for (Pod client : lab.clients()) {
            assertThat(client.ask(web.address(), 10)).isEqualTo(Map.of("a", 5, "b", 5));
        }

        controlPlane.apply(web.endpointsYaml());
        eventually(() -> assertThat(ask(web.address(), 2)).isEqualTo(Map.of(Clients.REFUSED, 2)));

        controlPlane.apply(web.endpointsYaml(lab.c()));
        eventually(() -> assertThat(ask(web.address(), 2)).isEqualTo(Map.of("c", 2)));

        controlPlane.kubectl("delete", "service", web.name());
        eventually(() -> assertThat(lab.rules()).doesNotContain("10.96.1.1/32"));
    }

    @Test
    void endpointsByHandAreServedOnceTheControllerHasMirroredThem() throws Exception {
        HandMadeService web = HandMadeService.of("mirrored", "10.96.1.2");
        controlPlane.apply(web.serviceYaml());
        controlPlane.apply(
                """
                apiVersion: v1
                kind: Endpoints
                metadata: {name: mirrored}
                subsets: [{addresses: [{ip: %s}], ports: [{name: http, port: %d}]}]
                """
                        .formatted(lab.a().ipv4(), Pod.PORT));
        lab.awaitRule(web.address());

        eventually(() -> assertThat(ask(web.address(), 2)).isEqualTo(Map.of("a", 2)));
    }

    @Test
    void podsServeFromTheMomentTheyAreReadyUntilTheyAreNot() throws Exception {
        SelectingService web = new SelectingService("pods", "pods", "10.96.1.3");
        controlPlane.apply(web.yaml());
        KubePod a = new KubePod(controlPlane, "a", "pods", lab.a());
        KubePod b = new KubePod(controlPlane, "b", "pods", lab.b());
        a.create();
        b.create();
        lab.awaitRule(web.address());
        assertThat(lab.client().ask(web.address())).isEqualTo(Clients.REFUSED);

        a.becomes("True");
        eventually(() -> assertThat(ask(web.address(), 2)).isEqualTo(Map.of("a", 2)));

        b.becomes("True");
        eventually(() -> assertThat(ask(web.address(), 4)).isEqualTo(Map.of("a", 2, "b", 2)));

        a.becomes("False");
        eventually(() -> assertThat(ask(web.address(), 2)).isEqualTo(Map.of("b", 2)));

        b.delete();
        eventually(() -> assertThat(ask(web.address(), 2)).isEqualTo(Map.of(Clients.REFUSED, 2)));
    }

    @Test
    void aClientIpServiceKeepsEachClientAtItsPod() throws Exception {
        HandMadeService web = HandMadeService.of("sticky", "10.96.1.4");
        controlPlane.apply(web.withClientIpAffinity(10_800).yaml(lab.a(), lab.b(), lab.c()));
        lab.awaitRule(web.address());

        eventually(() -> assertThat(ask(web.address(), 2)).doesNotContainKey(Clients.REFUSED));
        for (Pod client : lab.clients()) {
            assertThat(client.ask(web.address(), 20)).hasSize(1).containsValue(20);
        }

        String off = "{\"spec\": {\"sessionAffinity\": \"None\", \"sessionAffinityConfig\": null}}";
        controlPlane.kubectl("patch", "service", "sticky", "-p", off);
        eventually(
                () -> assertThat(ask(web.address(), 6)).isEqualTo(Map.of("a", 2, "b", 2, "c", 2)));
    }

    @Test
    void aServiceThatIsMadeAnewIsServedAtItsNewAddressOnly() throws Exception {
        HandMadeService first = HandMadeService.of("anew", "10.96.1.5");
        HandMadeService second = HandMadeService.of("anew", "10.96.1.6");
        controlPlane.apply(first.yaml(lab.a()));
        lab.awaitRule(first.address());
        eventually(() -> assertThat(ask(first.address(), 2)).isEqualTo(Map.of("a", 2)));

        controlPlane.kubectl("delete", "service", "anew");
        controlPlane.apply(second.yaml(lab.b()));
        lab.awaitRule(second.address());

        eventually(() -> assertThat(ask(second.address(), 2)).isEqualTo(Map.of("b", 2)));
        assertThat(lab.rules()).doesNotContain("10.96.1.5/32");
    }

    @Test
    void nodePortsOfBothProtocolsFollowTheTypeOfTheService() throws Exception {
        String nodePorts =
                """
                apiVersion: v1
                kind: Service
                metadata: {name: typed}
                spec:
                  type: NodePort
                  clusterIP: 10.96.1.8
                  ports:
                    - {name: http, port: 80, targetPort: 8080, nodePort: 30080}
                    - {name: names, port: 80, protocol: UDP, targetPort: 8080, nodePort: 30080}
                """;
        InetSocketAddress clusterIp = new InetSocketAddress("10.96.1.8", 80);
        InetSocketAddress nodePort = new InetSocketAddress(Lab.NODE_ADDRESS, 30080);
        Datagrams.serve(lab.a(), "a");
        controlPlane.apply(nodePorts);
        controlPlane.apply(
                """
                apiVersion: discovery.k8s.io/v1beta1
                kind: EndpointSlice
                metadata: {name: typed-1, labels: {kubernetes.io/service-name: typed}}
                addressType: IPv4
                ports: [{name: http, port: 8080}, {name: names, port: 8080, protocol: UDP}]
                endpoints: [{addresses: [%s], conditions: {ready: true}}]
                """
                        .formatted(lab.a().ipv4()));
        for (InetSocketAddress address : new InetSocketAddress[] {clusterIp, nodePort}) {
            for (Pod client : lab.clients()) {
                eventually(() -> assertThat(client.ask(address)).isEqualTo("a"));
                eventually(() -> assertThat(Datagrams.ask(client, address)).isEqualTo("a"));
            }
        }

        controlPlane.kubectl(
                "patch",
                "service",
                "typed",
                "--type=json",
                "-p",
                "[{\"op\":\"remove\",\"path\":\"/spec/ports/0/nodePort\"},"
                        + "{\"op\":\"remove\",\"path\":\"/spec/ports/1/nodePort\"},"
                        + "{\"op\":\"replace\",\"path\":\"/spec/type\",\"value\":\"ClusterIP\"}]");
        eventually(() -> assertThat(lab.client().ask(nodePort)).isEqualTo(Clients.REFUSED));
        eventually(
                () -> assertThat(Datagrams.ask(lab.client(), nodePort)).isEqualTo(Clients.REFUSED));
        assertThat(lab.client().ask(clusterIp)).isEqualTo("a");
    }

    @Test
    void whatIsWrongIsToldByAnEventThatDescribeShows() throws Exception {
        controlPlane.apply(
                """
                apiVersion: v1
                kind: Service
                metadata: {name: looped}
                spec: {clusterIP: 10.96.1.9, ports: [{name: http, port: 80}]}
                ---
                apiVersion: discovery.k8s.io/v1beta1
                kind: EndpointSlice
                metadata: {name: looped-1, labels: {kubernetes.io/service-name: looped}}
                addressType: IPv4
                ports: [{name: http, port: 80}]
                endpoints: [{addresses: [10.96.1.9], conditions: {ready: true}}]
                """);

        eventually(
                () ->
                        assertThat(controlPlane.kubectl("describe", "service", "looped"))
                                .contains("NotServedAsWritten")
                                .contains("10.96.1.9:80, which is"));
    }

    @Test
    void twoHundredServicesComeAndGo() throws Exception {
        KubePod pod = new KubePod(controlPlane, "many", "many", lab.c());
        pod.create();
        pod.becomes("True");
        int sockets = sluice.process().sockets();
        String services =
                IntStream.rangeClosed(1, MANY)
                        .mapToObj(n -> new SelectingService("many", "many-" + n, "10.96.9." + n))
                        .map(SelectingService::yaml)
                        .collect(Collectors.joining("---\n"));

        controlPlane.create(services);
        eventually(() -> assertThat(ruled()).isEqualTo(MANY));
        for (int n = 1; n <= MANY; n++) {
            InetSocketAddress each = new InetSocketAddress("10.96.9." + n, 80);
            eventually(() -> assertThat(lab.client().ask(each)).isEqualTo("c"));
        }

        controlPlane.kubectl("delete", "services", "-l", "app=many", "--wait=false");
        eventually(() -> assertThat(ruled()).isZero());
        eventually(
                () ->
                        assertThat(sluice.process().sockets())
                                .as("sockets, as before")
                                .isLessThanOrEqualTo(sockets));
    }

    /** Number of the many that have rules. */
    private long ruled() throws Exception {
        return Pattern.compile("10\\.96\\.9\\.\\d+/32")
                .matcher(lab.rules())
                .results()
                .map(MatchResult::group)
                .distinct()
                .count();
    }

    private Map<String, Integer> ask(InetSocketAddress service, int times) throws Exception {
        return lab.client().ask(service, times);
    }
}
