package dev.sluice.kubernetes;

import io.vertx.core.Vertx;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * The network between a client and a server, on which connections can die without a word.
 *
 * <p>Threads: any.
 */
final class ApiRelay implements AutoCloseable {
    private final Vertx vertx = Vertx.vertx();
    private final Set<NetSocket> sockets = ConcurrentHashMap.newKeySet();
    private final Set<NetSocket> frozen = ConcurrentHashMap.newKeySet();
    private final NetServer server;

    ApiRelay(int target) throws Exception {
        server =
                vertx.createNetServer()
                        .connectHandler(client -> relay(client, target))
                        .listen(0, "127.0.0.1")
                        .toCompletionStage()
                        .toCompletableFuture()
                        .get(10, TimeUnit.SECONDS);
    }

    int port() {
        return server.actualPort();
    }

    private void relay(NetSocket client, int target) {
        client.pause();
        vertx.createNetClient()
                .connect(target, "127.0.0.1")
                .onFailure(failed -> client.close())
                .onSuccess(
                        backend -> {
                            pass(client, backend);
                            pass(backend, client);
                            client.resume();
                        });
    }

    private void pass(NetSocket from, NetSocket to) {
        sockets.add(from);
        from.handler(
                bytes -> {
                    if (!frozen.contains(from)) {
                        to.write(bytes);
                    }
                });
        from.closeHandler(
                closed -> {
                    sockets.remove(from);
                    if (!frozen.contains(from)) {
                        to.close();
                    }
                });
    }

    /** From now on nothing comes through on the connections that are there; new ones work. */
    void freeze() {
        frozen.addAll(sockets);
    }

    @Override
    public void close() {
        // Not awaited: it may wait for peers that are gone.
        vertx.close().onComplete(ended -> {});
    }
}
