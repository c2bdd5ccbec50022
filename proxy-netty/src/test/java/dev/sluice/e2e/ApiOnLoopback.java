package dev.sluice.e2e;

import dev.sluice.model.IpAddress;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/**
 * The way from a node's loopback address to the API server, which has no TLS: the program sends to
 * no other address without.
 *
 * <p>Threads: one of its own, and two for each connection.
 */
final class ApiOnLoopback implements Closeable {
    private final ServerSocket listener;
    private final InetAddress server;

    ApiOnLoopback(String server) throws IOException {
        this.server = IpAddress.parse(server).toInetAddress();
        listener = new ServerSocket(ApiProgram.PORT, 50, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "api-on-loopback");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                Socket there = new Socket(server, ApiProgram.PORT);
                start(() -> copy(client, there));
                start(() -> copy(there, client));
            } catch (IOException e) {
                // Closed, or the server is away: the client asks again.
            }
        }
    }

    private static void copy(Socket from, Socket to) {
        try (from;
                to) {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException e) {
            // Both are closed, then.
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
