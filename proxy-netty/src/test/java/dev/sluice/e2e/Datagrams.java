package dev.sluice.e2e;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.Closeable;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * UDP clients and backends of pods.
 *
 * <p>Threads: the one thread of the pod's process, and one for each backend.
 */
public final class Datagrams {
    private static final String BACKEND = "udp backend";
    private static final int LONGEST = 65_535;
    private static final int ANSWER_MILLIS = 2_000;

    private Datagrams() {}

    /**
     * Answers each datagram to port {@link Pod#PORT} with a name, and longer ones with themselves.
     */
    public static void serve(Pod pod, String name) throws IOException {
        pod.call(
                kept -> {
                    kept.close(BACKEND);
                    kept.put(BACKEND, new Answering(name));
                    return true;
                });
    }

    /** How many datagrams came since the pod serves. */
    static int received(Pod pod) throws IOException {
        return pod.call(kept -> kept.get(BACKEND, Answering.class).received.get());
    }

    /** What one datagram is answered, with the address that it is answered from. */
    public static String ask(Pod pod, InetSocketAddress service) throws IOException {
        return ask(pod, 0, service, "who");
    }

    /**
     * The same from one port of the client.
     *
     * @return the answer, {@code refused}, {@code timeout}, or where a stranger's answer came from
     */
    static String ask(Pod pod, int source, InetSocketAddress service, String question)
            throws IOException {
        return pod.call(
                kept -> {
                    try (DatagramSocket socket = new DatagramSocket(null)) {
                        socket.setReuseAddress(true);
                        socket.bind(new InetSocketAddress(source));
                        // Connected, so that it takes answers from the Service alone.
                        socket.connect(service);
                        socket.setSoTimeout(ANSWER_MILLIS);
                        byte[] data = question.getBytes(US_ASCII);
                        socket.send(new DatagramPacket(data, data.length));
                        DatagramPacket answer = new DatagramPacket(new byte[LONGEST], LONGEST);
                        socket.receive(answer);
                        return new String(answer.getData(), 0, answer.getLength(), US_ASCII);
                    } catch (PortUnreachableException e) {
                        return Clients.REFUSED;
                    } catch (SocketTimeoutException e) {
                        return Clients.TIMEOUT;
                    }
                });
    }

    private static final class Answering implements Closeable {
        private final DatagramSocket socket;
        private final AtomicInteger received = new AtomicInteger();
        private final Thread thread;

        Answering(String name) throws SocketException {
            socket = new DatagramSocket(Pod.PORT);
            thread = new Thread(() -> answer(name), "udp-" + name);
            thread.setDaemon(true);
            thread.start();
        }

        private void answer(String name) {
            DatagramPacket packet = new DatagramPacket(new byte[LONGEST], LONGEST);
            byte[] reply = name.getBytes(US_ASCII);
            while (!socket.isClosed()) {
                try {
                    packet.setLength(LONGEST);
                    socket.receive(packet);
                    received.incrementAndGet();
                    socket.send(
                            packet.getLength() > 100
                                    ? packet
                                    : new DatagramPacket(
                                            reply, reply.length, packet.getSocketAddress()));
                } catch (IOException e) {
                    // The next datagram, or the end.
                }
            }
        }

        @Override
        public void close() {
            socket.close();
            try {
                // Until it has noticed, the port is taken still.
                thread.join(5000);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
