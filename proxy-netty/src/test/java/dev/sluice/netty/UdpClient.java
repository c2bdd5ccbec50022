package dev.sluice.netty;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A client with one port, connected, so that it hears ICMP and takes no stranger's answer.
 *
 * <p>Threads: the test's.
 */
final class UdpClient implements AutoCloseable {
    private final DatagramSocket socket;

    UdpClient(InetSocketAddress service) throws IOException {
        this(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), service);
    }

    UdpClient(InetSocketAddress own, InetSocketAddress service) throws IOException {
        socket = new DatagramSocket(own);
        socket.connect(service);
        socket.setSoTimeout(10_000);
    }

    /** Waits for answers no longer than this. */
    void patience(int millis) throws IOException {
        socket.setSoTimeout(millis);
    }

    void send(byte[] data) throws IOException {
        socket.send(new DatagramPacket(data, data.length));
    }

    void send(String text) throws IOException {
        send(text.getBytes(StandardCharsets.US_ASCII));
    }

    byte[] receive() throws IOException {
        DatagramPacket packet = new DatagramPacket(new byte[65_535], 65_535);
        socket.receive(packet);
        return Arrays.copyOf(packet.getData(), packet.getLength());
    }

    String ask(String question) throws IOException {
        send(question);
        return new String(receive(), StandardCharsets.US_ASCII);
    }

    @Override
    public void close() {
        socket.close();
    }
}
