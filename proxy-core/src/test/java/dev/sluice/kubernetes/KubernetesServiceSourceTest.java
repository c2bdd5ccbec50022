package dev.sluice.kubernetes;

import static dev.sluice.kubernetes.KubernetesFixtures.ready;
import static dev.sluice.kubernetes.KubernetesFixtures.service;
import static dev.sluice.kubernetes.KubernetesFixtures.slice;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.APIGroupBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What kubectl does to objects, on the server of fabric8 that keeps them. */
@NullUnmarked
@Timeout(60)
@EnableKubernetesMockClient(crud = true, https = false)
class KubernetesServiceSourceTest {
    private KubernetesMockServer server;
    private KubernetesClient client;

    @BeforeEach
    void sliceVersions() {
        server.expect()
                .get()
                .withPath("/apis/discovery.k8s.io")
                .andReturn(
                        200,
                        new APIGroupBuilder()
                                .withName("discovery.k8s.io")
                                .addNewVersion("discovery.k8s.io/v1", "v1")
                                .build())
                .always();
    }

    private FollowedSource follow() {
        return FollowedSource.of(URI.create("http://127.0.0.1:" + server.getPort()));
    }

    private EndpointSlice create(EndpointSlice slice) {
        return client.discovery().v1().endpointSlices().resource(slice).create();
    }

    @Test
    void objectsFromBeforeAndAfterTheStartAreServed() {
        client.services().resource(service("before", "10.96.0.1")).create();
        create(slice("before-1", "before", ready("10.1.0.1")));
        try (FollowedSource source = follow()) {
            source.awaitServed("before [10.96.0.1] -> [10.1.0.1:8080]");

            create(slice("after-1", "after", ready("10.1.0.2")));
            client.services().resource(service("after", "10.96.0.2")).create();

            source.awaitServed(
                    "after [10.96.0.2] -> [10.1.0.2:8080]",
                    "before [10.96.0.1] -> [10.1.0.1:8080]");
        }
    }

    @Test
    void anEmptyClusterIsComplete() {
        try (FollowedSource source = follow()) {
            assertThat(source.awaitServed().problems())
                    .singleElement()
                    .hasToString(
                            "Node a: metadata.name 'a' is no Node of the cluster; the setting"
                                    + " node.name can name another");
        }
    }

    @Test
    void updatesAndDeletesArrive() {
        client.services().resource(service("web", "10.96.0.1")).create();
        EndpointSlice slice = create(slice("web-1", "web", ready("10.1.0.1")));
        try (FollowedSource source = follow()) {
            source.awaitServed("web [10.96.0.1] -> [10.1.0.1:8080]");

            slice.setEndpoints(List.of(ready("10.1.0.2"), ready("10.1.0.3")));
            client.discovery().v1().endpointSlices().resource(slice).update();
            source.awaitServed("web [10.96.0.1] -> [10.1.0.2:8080, 10.1.0.3:8080]");

            client.discovery().v1().endpointSlices().resource(slice).delete();
            source.awaitServed("web [10.96.0.1] -> []");

            client.services().inNamespace("default").withName("web").delete();
            source.awaitServed();
        }
    }

    @Test
    void aServiceGoesToAnotherProxyAndBack() {
        client.services().resource(service("web", "10.96.0.1")).create();
        try (FollowedSource source = follow()) {
            source.awaitServed("web [10.96.0.1] -> []");

            client.services()
                    .inNamespace("default")
                    .withName("web")
                    .edit(
                            web -> {
                                web.getMetadata()
                                        .getLabels()
                                        .put("service.kubernetes.io/service-proxy-name", "other");
                                return web;
                            });
            source.awaitServed();

            client.services()
                    .inNamespace("default")
                    .withName("web")
                    .edit(
                            web -> {
                                web.getMetadata().getLabels().clear();
                                return web;
                            });
            source.awaitServed("web [10.96.0.1] -> []");
        }
    }

    @Test
    void endpointsMoveFromOneSliceToAnother() {
        client.services().resource(service("web", "10.96.0.1")).create();
        EndpointSlice first = create(slice("web-1", "web", ready("10.1.0.1"), ready("10.1.0.2")));
        try (FollowedSource source = follow()) {
            source.awaitServed("web [10.96.0.1] -> [10.1.0.1:8080, 10.1.0.2:8080]");

            EndpointSlice second = create(slice("web-2", "web", ready("10.1.0.2")));
            first.setEndpoints(List.of(ready("10.1.0.1")));
            client.discovery().v1().endpointSlices().resource(first).update();
            source.awaitServed("web [10.96.0.1] -> [10.1.0.1:8080, 10.1.0.2:8080]");

            client.discovery().v1().endpointSlices().resource(second).delete();
            source.awaitServed("web [10.96.0.1] -> [10.1.0.1:8080]");
        }
    }

    @Test
    void twoHundredServicesComeAndGo() {
        try (FollowedSource source = follow()) {
            source.awaitServed();
            IntStream.range(0, 200)
                    .mapToObj(i -> service("s" + i, "10.96.1." + i))
                    .forEach(each -> client.services().resource(each).create());
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> source.snapshot().orElseThrow().servicePorts().size() == 200);

            client.services().inNamespace("default").delete();

            source.awaitServed();
        }
    }

    @Test
    void aSourceTellsWhatItFollows() {
        try (FollowedSource source = follow()) {
            source.awaitServed();
            assertThat(source.watch("services").lists()).isEqualTo(1);
            assertThat(source.watch("endpointslices").lists()).isEqualTo(1);
            await().until(() -> source.watch("services").failure().isEmpty());
        }
    }
}
