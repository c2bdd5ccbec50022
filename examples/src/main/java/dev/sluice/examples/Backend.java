package dev.sluice.examples;

import dev.sluice.model.Endpoint;
import dev.sluice.model.IpAddress;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * Stands for a pod: a server on 127.0.0.1 that tells its name to every client.
 *
 * <p>Threads: any; clients are served by a thread of its own.
 */
final class Backend implements AutoCloseable {
    private static final int BACKLOG = 50;

    private final ServerSocket listener;

    Backend(String name) throws IOException {
        listener = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
        Thread thread = new Thread(() -> serve(name), name);
        thread.setDaemon(true);
        thread.start();
    }

    Endpoint endpoint() {
        return new Endpoint(IpAddress.of(listener.getInetAddress()), listener.getLocalPort());
    }

    private void serve(String name) {
        while (!listener.isClosed()) {
            try (Socket client = listener.accept()) {
                client.getOutputStream().write(name.getBytes(StandardCharsets.UTF_8));
            } catch (IOException e) {
                // Closed, or this client is gone; the next one is served.
            }
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
