package dev.sluice.app;

import com.sun.net.httpserver.HttpServer;
import dev.sluice.model.Endpoint;
import dev.sluice.model.IpAddress;
import java.io.IOException;
import java.io.OutputStream;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/**
 * A pod of the demo: an HTTP server that says who it is.
 *
 * <p>Threads: any one thread at a time; requests are answered on a thread of the server.
 */
final class HelloWorldPod implements AutoCloseable {
    private static final int PORT = 8080;

    private final String name;
    private final HttpServer server;

    private HelloWorldPod(String name, HttpServer server) {
        this.name = name;
        this.server = server;
    }

    /**
     * Starts on port 8080 of an address of its own, as a pod has one, or on a free port of
     * 127.0.0.1 where that can't be had.
     *
     * @param number 1 or more
     */
    static HelloWorldPod start(int number) throws IOException {
        HttpServer server;
        try {
            server = listen("127.0.0." + (number + 1), PORT);
        } catch (BindException e) {
            server = listen("127.0.0.1", 0);
        }
        String name = "hello-world-" + number;
        byte[] reply = ("Hello, world! I am " + name + "\n").getBytes(StandardCharsets.UTF_8);
        server.createContext(
                "/",
                exchange -> {
                    exchange.getResponseHeaders().set("Content-Type", "text/plain");
                    exchange.sendResponseHeaders(200, reply.length);
                    try (OutputStream body = exchange.getResponseBody()) {
                        body.write(reply);
                    }
                });
        server.start();
        return new HelloWorldPod(name, server);
    }

    private static HttpServer listen(String address, int port) throws IOException {
        return HttpServer.create(
                new InetSocketAddress(IpAddress.parse(address).toInetAddress(), port), 0);
    }

    String name() {
        return name;
    }

    Endpoint endpoint() {
        InetSocketAddress address = server.getAddress();
        return new Endpoint(IpAddress.of(address.getAddress()), address.getPort());
    }

    /** Stops at once: connections are refused from now on. */
    @Override
    public void close() {
        server.stop(0);
    }
}
