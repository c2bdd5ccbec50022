package dev.sluice.netty;

import dev.sluice.model.Endpoint;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Answers each datagram with its name, or as often as asked, or with what came.
 *
 * <p>Threads: one of its own answers, the rest the test's.
 */
final class UdpPod implements AutoCloseable {
    private final DatagramSocket socket;
    private final Thread thread;
    private final AtomicInteger received = new AtomicInteger();
    private volatile @Nullable SocketAddress last;

    UdpPod(String name) throws IOException {
        this(name, 0);
    }

    UdpPod(String name, int port) throws IOException {
        socket = new DatagramSocket(port, InetAddress.getLoopbackAddress());
        thread =
                new Thread(
                        () -> {
                            DatagramPacket packet = new DatagramPacket(new byte[65_535], 65_535);
                            try {
                                while (true) {
                                    packet.setLength(65_535);
                                    socket.receive(packet);
                                    last = packet.getSocketAddress();
                                    received.incrementAndGet();
                                    answer(name, packet);
                                }
                            } catch (IOException e) {
                                // The test is over.
                            }
                        },
                        "pod-" + name);
        thread.setDaemon(true);
        thread.start();
    }

    private void answer(String name, DatagramPacket packet) throws IOException {
        String text =
                new String(packet.getData(), 0, packet.getLength(), StandardCharsets.US_ASCII);
        if (text.equals("silence")) {
            return;
        }
        if (text.startsWith("times ")) {
            for (int i = 0; i < Integer.parseInt(text.substring(6)); i++) {
                send(Integer.toString(i), packet);
            }
        } else if (text.equals("who")) {
            send(name, packet);
        } else {
            socket.send(packet);
        }
    }

    private void send(String text, DatagramPacket to) throws IOException {
        tell(text, to.getSocketAddress());
    }

    /** Who asked last. */
    SocketAddress last() {
        return Objects.requireNonNull(last);
    }

    /** Says something without being asked. */
    void tell(String text, SocketAddress to) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        socket.send(new DatagramPacket(bytes, bytes.length, to));
    }

    Endpoint endpoint() {
        return Services.endpoint(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), socket.getLocalPort()));
    }

    int received() {
        return received.get();
    }

    /** Listens no more: {@code java.nio} closes the descriptor when its reader has left. */
    void die() {
        socket.close();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        die();
    }
}
