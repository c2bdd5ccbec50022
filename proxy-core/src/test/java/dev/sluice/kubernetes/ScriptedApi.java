package dev.sluice.kubernetes;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.ServerWebSocket;
import java.net.URI;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * An API server that lists and watches as a real one does, validates nothing, and fails as it is
 * told to.
 *
 * <p>Threads: any.
 */
final class ScriptedApi implements AutoCloseable {
    static final String SERVICES = ListedResource.SERVICES_PATH;
    static final String SLICES = ListedResource.SLICES_PATH;
    static final String BETA_SLICES = ListedResource.BETA_SLICES_PATH;
    static final String ENDPOINTS = ListedResource.ENDPOINTS_PATH;
    static final String NODES = ListedResource.NODES_PATH;

    /** What a client sent. */
    record Request(
            String method,
            String path,
            boolean watch,
            boolean upgrade,
            Map<String, String> parameters,
            @Nullable String token,
            long nanos) {
        boolean listsAll() {
            return !watch && !parameters.containsKey("limit");
        }
    }

    /** An answer in place of the usual one. */
    record Refusal(int status, Map<String, String> headers, String body) {
        Refusal(int status) {
            this(status, Map.of());
        }

        Refusal(int status, Map<String, String> headers) {
            this(status, headers, "");
        }

        /** With a Status that says why. */
        static Refusal saying(int status, String message, String cause) {
            return new Refusal(
                    status,
                    Map.of("Content-Type", "application/json"),
                    "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"code\":%d,\"message\":\""
                            + message
                            + "\",\"details\":{\"causes\":[{\"reason\":\""
                            + cause
                            + "\"}]}}");
        }
    }

    private record Event(long version, String type, String path, String json) {}

    private final Vertx vertx = Vertx.vertx();
    private final KubernetesSerialization json = new KubernetesSerialization();
    private final Map<String, Map<String, String>> objects = new HashMap<>();
    private final List<Event> events = new ArrayList<>();
    private final Map<ServerWebSocket, String> watches = new ConcurrentHashMap<>();
    private final List<Request> requests = new ArrayList<>();
    private final List<String> posted = new CopyOnWriteArrayList<>();
    private final Map<String, Deque<Refusal>> refusals = new HashMap<>();
    private final Set<String> stalled = ConcurrentHashMap.newKeySet();
    private final Set<String> served = ConcurrentHashMap.newKeySet();
    private final Set<HttpConnection> connections = ConcurrentHashMap.newKeySet();
    private List<String> discoveryVersions = List.of("v1");
    private @Nullable String token;
    private int watchesToClose;
    private long version = 100;
    private HttpServer server;
    private final int port;

    ScriptedApi() throws Exception {
        served.addAll(List.of(SERVICES, SLICES, ENDPOINTS, NODES));
        server = listen(0);
        port = server.actualPort();
    }

    private HttpServer listen(int on) throws Exception {
        return vertx.createHttpServer()
                .connectionHandler(
                        connection -> {
                            connections.add(connection);
                            connection.closeHandler(closed -> connections.remove(connection));
                        })
                .requestHandler(this::answer)
                .listen(on, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .get(10, TimeUnit.SECONDS);
    }

    URI address() {
        return URI.create("http://127.0.0.1:" + port);
    }

    int port() {
        return port;
    }

    /** Ends all connections and listens no more. */
    void stop() throws Exception {
        connections.forEach(connection -> connection.shutdown(0, TimeUnit.MILLISECONDS));
        server.shutdown(0, TimeUnit.MILLISECONDS)
                .toCompletionStage()
                .toCompletableFuture()
                .get(10, TimeUnit.SECONDS);
        watches.clear();
    }

    void restart() throws Exception {
        server = listen(port);
    }

    /** Which versions of EndpointSlices there are. */
    synchronized void discoveryVersions(List<String> versions) {
        discoveryVersions = versions;
        served.removeAll(List.of(SLICES, BETA_SLICES));
        if (versions.contains("v1")) {
            served.add(SLICES);
        }
        if (versions.contains("v1beta1")) {
            served.add(BETA_SLICES);
        }
    }

    /** From now on all requests need this bearer token. */
    synchronized void requireToken(String required) {
        token = required;
    }

    /** The next requests for this list or watch are answered so, one after the other. */
    synchronized void refuse(String path, boolean watch, int times, Refusal refusal) {
        Deque<Refusal> queue = refusals.computeIfAbsent(path + watch, any -> new ArrayDeque<>());
        for (int i = 0; i < times; i++) {
            queue.add(refusal);
        }
    }

    synchronized int refusalsLeft(String path, boolean watch) {
        Deque<Refusal> queue = refusals.get(path + watch);
        return queue == null ? 0 : queue.size();
    }

    /** Lists of this path begin and do not end. */
    void stall(String path) {
        stalled.add(path);
    }

    void endStall(String path) {
        stalled.remove(path);
    }

    /** The next watches end as soon as they are open. */
    synchronized void closeNextWatches(int count) {
        watchesToClose = count;
    }

    synchronized int watchesToClose() {
        return watchesToClose;
    }

    /** Adds or changes an object, and tells the watches. */
    synchronized void put(String path, HasMetadata object) {
        version++;
        object.getMetadata().setResourceVersion(Long.toString(version));
        String text = json.asJson(object);
        boolean known = objectsAt(path).put(key(object), text) != null;
        send(new Event(version, known ? "MODIFIED" : "ADDED", path, text));
    }

    synchronized void delete(String path, HasMetadata object) {
        version++;
        String text = objectsAt(path).remove(key(object));
        if (text == null) {
            throw new IllegalStateException("no " + key(object));
        }
        object.getMetadata().setResourceVersion(Long.toString(version));
        send(new Event(version, "DELETED", path, json.asJson(object)));
    }

    /** Changes what a list says without telling the watches. */
    synchronized void putSilently(String path, HasMetadata object) {
        version++;
        object.getMetadata().setResourceVersion(Long.toString(version));
        objectsAt(path).put(key(object), json.asJson(object));
    }

    synchronized void deleteSilently(String path, HasMetadata object) {
        version++;
        objectsAt(path).remove(key(object));
    }

    /** Another etcd: no object, and versions from below. */
    synchronized void forgetAll(long from) {
        objects.clear();
        events.clear();
        version = from;
    }

    synchronized long version() {
        return version;
    }

    synchronized void bookmark(String path, String kind, String apiVersion) {
        version++;
        sendText(
                path,
                event(
                        "BOOKMARK",
                        "{\"kind\":\""
                                + kind
                                + "\",\"apiVersion\":\""
                                + apiVersion
                                + "\",\"metadata\":{\"resourceVersion\":\""
                                + version
                                + "\"}}"));
    }

    /** What a server sends whose history does not reach back far enough. */
    synchronized void sendGone(String path) {
        sendText(
                path,
                event(
                        "ERROR",
                        "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\","
                                + "\"reason\":\"Expired\",\"code\":410,"
                                + "\"message\":\"too old resource version\"}"));
    }

    synchronized void sendText(String path, String text) {
        watches.forEach(
                (socket, watched) -> {
                    if (watched.equals(path)) {
                        socket.writeTextMessage(text);
                    }
                });
    }

    /** Sends the last events once more. */
    synchronized void replay(String path, int last) {
        List<Event> of = events.stream().filter(event -> event.path.equals(path)).toList();
        of.subList(Math.max(0, of.size() - last), of.size())
                .forEach(event -> sendText(path, event(event.type, event.json)));
    }

    /** Cuts all watches without a word. */
    void dropWatches() {
        watches.keySet().forEach(socket -> socket.shutdown(0, TimeUnit.MILLISECONDS));
        watches.clear();
    }

    long openWatches(String path) {
        return watches.values().stream().filter(path::equals).count();
    }

    synchronized List<Request> requests(Predicate<Request> which) {
        return requests.stream().filter(which).toList();
    }

    synchronized long lists(String path) {
        return requests.stream().filter(r -> r.path.equals(path) && r.listsAll()).count();
    }

    /** What clients have created, whatever it is. */
    List<String> posted() {
        return posted;
    }

    /** TCP connections of clients. */
    int connections() {
        return connections.size();
    }

    @Override
    public void close() {
        connections.forEach(connection -> connection.shutdown(0, TimeUnit.MILLISECONDS));
        // Not awaited: it may wait for peers that are gone.
        vertx.close().onComplete(ended -> {});
    }

    private synchronized void answer(HttpServerRequest request) {
        Map<String, String> parameters = new TreeMap<>();
        request.params().forEach(entry -> parameters.put(entry.getKey(), entry.getValue()));
        boolean watch = "true".equals(parameters.get("watch"));
        String authorization = request.getHeader("Authorization");
        requests.add(
                new Request(
                        request.method().name(),
                        request.path(),
                        watch,
                        request.headers().contains("Upgrade", "websocket", true),
                        parameters,
                        authorization,
                        System.nanoTime()));
        if (token != null && !("Bearer " + token).equals(authorization)) {
            request.response().setStatusCode(401).end();
            return;
        }
        Optional<Refusal> refusal =
                Optional.ofNullable(refusals.get(request.path() + watch)).map(Deque::poll);
        if (refusal.isPresent()) {
            refusal.get().headers.forEach(request.response()::putHeader);
            request.response()
                    .setStatusCode(refusal.get().status)
                    .end(refusal.get().body.formatted(refusal.get().status));
        } else if (request.method().equals(HttpMethod.POST)) {
            request.bodyHandler(
                    body -> {
                        posted.add(body.toString());
                        request.response().setStatusCode(201).end(body);
                    });
        } else if (request.path().equals("/apis/discovery.k8s.io")
                && !discoveryVersions.isEmpty()) {
            request.response().end(discovery());
        } else if (request.path().equals("/apis")) {
            request.response()
                    .end(
                            "{\"kind\":\"APIGroupList\",\"apiVersion\":\"v1\",\"groups\":["
                                    + "{\"name\":\"apps\",\"versions\":[]}"
                                    + (discoveryVersions.isEmpty() ? "" : "," + discovery())
                                    + "]}");
        } else if (!served.contains(request.path())) {
            request.response().setStatusCode(404).end();
        } else if (watch) {
            request.toWebSocket()
                    .onSuccess(
                            socket ->
                                    watching(
                                            socket,
                                            request.path(),
                                            Long.parseLong(parameters.get("resourceVersion"))));
        } else if (stalled.contains(request.path())) {
            request.response().setChunked(true).write("{\"items\":[");
        } else {
            request.response().end(list(request.path()));
        }
    }

    private synchronized void watching(ServerWebSocket socket, String path, long from) {
        if (watchesToClose > 0) {
            watchesToClose--;
            socket.close();
            return;
        }
        events.stream()
                .filter(event -> event.path.equals(path) && event.version > from)
                .forEach(event -> socket.writeTextMessage(event(event.type, event.json)));
        watches.put(socket, path);
        socket.closeHandler(closed -> watches.remove(socket));
        socket.exceptionHandler(failed -> watches.remove(socket));
    }

    private void send(Event event) {
        events.add(event);
        sendText(event.path, event(event.type, event.json));
    }

    private static String event(String type, String object) {
        return "{\"type\":\"" + type + "\",\"object\":" + object + "}";
    }

    private String list(String path) {
        return "{\"metadata\":{\"resourceVersion\":\""
                + version
                + "\"},\"items\":["
                + String.join(",", objectsAt(path).values())
                + "]}";
    }

    private String discovery() {
        List<String> versions =
                discoveryVersions.stream()
                        .map(
                                v ->
                                        "{\"groupVersion\":\"discovery.k8s.io/"
                                                + v
                                                + "\",\"version\":\""
                                                + v
                                                + "\"}")
                        .toList();
        return "{\"kind\":\"APIGroup\",\"apiVersion\":\"v1\",\"name\":\"discovery.k8s.io\","
                + "\"versions\":["
                + String.join(",", versions)
                + "]}";
    }

    private Map<String, String> objectsAt(String path) {
        return objects.computeIfAbsent(path, any -> new TreeMap<>());
    }

    private static String key(HasMetadata object) {
        return object.getMetadata().getNamespace() + "/" + object.getMetadata().getName();
    }
}
