package dev.sluice.e2e;

import io.fabric8.kubernetes.api.model.APIGroupBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.dsl.NonDeletingOperation;
import io.fabric8.kubernetes.client.server.mock.KubernetesMixedDispatcher;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.fabric8.mockwebserver.Context;
import io.fabric8.mockwebserver.MockWebServer;
import io.fabric8.mockwebserver.ServerRequest;
import io.fabric8.mockwebserver.ServerResponse;
import java.io.ByteArrayInputStream;
import java.io.Closeable;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * An API server of version 1 objects, which lists, watches and stores, inside a namespace.
 *
 * <p>Threads: one for what tests call; the server has its own.
 */
final class ApiProgram implements Closeable {
    static final String NAME = "api";
    static final int PORT = 6443;

    /** Each request is a line. Kept, since what nobody keeps loses its level. */
    private static final Logger REQUESTS = Logger.getLogger("io.fabric8.mockwebserver");

    private final KubernetesMockServer server;
    private final KubernetesClient client;

    private ApiProgram(KubernetesMockServer server, KubernetesClient client) {
        this.server = server;
        this.client = client;
    }

    static ApiProgram start(String address) throws Exception {
        REQUESTS.setLevel(Level.WARNING);
        Map<ServerRequest, Queue<ServerResponse>> answers = new ConcurrentHashMap<>();
        KubernetesMockServer server =
                new KubernetesMockServer(
                        new Context(),
                        new MockWebServer(),
                        answers,
                        new KubernetesMixedDispatcher(answers),
                        false);
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
        server.init(InetAddress.getByName(address), PORT);
        Config config =
                new ConfigBuilder(Config.empty())
                        .withMasterUrl("http://" + address + ":" + PORT)
                        .withNamespace("default")
                        .build();
        return new ApiProgram(server, new KubernetesClientBuilder().withConfig(config).build());
    }

    /** Makes the objects so, whatever they were. */
    void apply(String yaml) {
        for (HasMetadata item :
                client.load(new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8)))
                        .items()) {
            client.resource(item).unlock().createOr(NonDeletingOperation::update);
        }
    }

    /** Deletes a Service and its slices. */
    void delete(String service) {
        client.services().withName(service).delete();
        client.discovery()
                .v1()
                .endpointSlices()
                .withLabel("kubernetes.io/service-name", service)
                .delete();
    }

    void deleteAll() {
        client.services().delete();
        client.discovery().v1().endpointSlices().delete();
    }

    @Override
    public void close() {
        client.close();
        server.destroy();
    }
}
