package dev.sluice.app;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.sluice.model.Endpoint;
import dev.sluice.model.Protocol;
import dev.sluice.model.ServicePortName;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/**
 * As much of an API server as a start asks for: one Service with one endpoint, and watches that
 * tell nothing.
 *
 * <p>Threads: any one thread at a time; requests are answered on a thread of the server.
 */
final class RehearsalApiServer implements AutoCloseable {
    static final ServicePortName SERVICE =
            ServicePortName.of("default", "rehearsal", "", Protocol.TCP);

    private static final int NOT_FOUND = 404;

    private static final String GROUP =
            """
            {"kind": "APIGroup", "apiVersion": "v1", "name": "discovery.k8s.io",
             "versions": [{"groupVersion": "discovery.k8s.io/v1", "version": "v1"}]}
            """;

    /** The address is of TEST-NET-1 (RFC 5737), so that it is nobody's. */
    private static final String SERVICES =
            """
            {"kind": "ServiceList", "apiVersion": "v1", "metadata": {"resourceVersion": "1"},
             "items": [{"kind": "Service", "apiVersion": "v1",
              "metadata": {"namespace": "default", "name": "rehearsal", "resourceVersion": "1",
                           "uid": "1"},
              "spec": {"clusterIP": "192.0.2.10", "ports": [{"port": 80}]}}]}
            """;

    private static final String SLICES =
            """
            {"kind": "EndpointSliceList", "apiVersion": "discovery.k8s.io/v1",
             "metadata": {"resourceVersion": "1"},
             "items": [{"kind": "EndpointSlice", "apiVersion": "discovery.k8s.io/v1",
              "metadata": {"namespace": "default", "name": "rehearsal-1", "resourceVersion": "1",
                           "uid": "2", "labels": {"kubernetes.io/service-name": "rehearsal"}},
              "addressType": "IPv4",
              "endpoints": [{"addresses": ["%s"], "conditions": {"ready": true}}],
              "ports": [{"name": "", "port": %d}]}]}
            """;

    private static final String NODES =
            """
            {"kind": "NodeList", "apiVersion": "v1", "metadata": {"resourceVersion": "1"},
             "items": [{"kind": "Node", "apiVersion": "v1",
              "metadata": {"name": "rehearsal", "resourceVersion": "1", "uid": "3"},
              "status": {"addresses": [{"type": "InternalIP", "address": "127.0.0.1"}]}}]}
            """;

    private final HttpServer server;
    private final String slices;

    private RehearsalApiServer(HttpServer server, Endpoint endpoint) {
        this.server = server;
        slices = SLICES.formatted(endpoint.address(), endpoint.port());
    }

    static RehearsalApiServer start(Endpoint endpoint) throws IOException {
        HttpServer http =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        RehearsalApiServer server = new RehearsalApiServer(http, endpoint);
        http.createContext("/", server::answer);
        http.start();
        return server;
    }

    String address() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** The same Service as it would be written to a file. */
    String manifest() {
        return SERVICES + "---\n" + slices;
    }

    private void answer(HttpExchange exchange) throws IOException {
        String query = String.valueOf(exchange.getRequestURI().getQuery());
        String text =
                switch (exchange.getRequestURI().getPath()) {
                    case "/apis/discovery.k8s.io" -> GROUP;
                    case "/api/v1/services" -> SERVICES;
                    case "/apis/discovery.k8s.io/v1/endpointslices" -> slices;
                    case "/api/v1/nodes" -> NODES;
                    default -> "";
                };
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        if (query.contains("watch=true")) {
            // A watch stays open until the server ends.
            exchange.sendResponseHeaders(200, 0);
            exchange.getResponseBody().flush();
            return;
        }
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(
                text.isEmpty() ? NOT_FOUND : 200, text.isEmpty() ? -1 : body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
