import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.BindException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Both ends of the UDP benchmark, between two hosts.
 *
 * <p>{@code java Questions.java answer PORT} sends each datagram back. {@code java Questions.java
 * ask} reads lines {@code KIND HOST PORT SECONDS}, asks for so long, and prints how many questions of 64
 * bytes were answered and the seconds that it took; it ends with an error if one was not. Kinds are
 * {@code kept}, 32 clients that ask again and again from the same port, and {@code fresh}, 16 at
 * once of which each asks once, from an address (10.78.0.1 and on) and port that has never asked before.
 */
public final class Questions {
    private static final int LENGTH = 64;
    private static final int THREADS = 2;
    private static final int KEPT = 16;
    private static final int FRESH = 8;
    private static final int ANSWER_MILLIS = 2_000;
    private static final int FIRST_PORT = 1_024;
    private static final int PORTS = 60_000;

    private static long nextClient;

    private Questions() {}

    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("answer")) {
            answer(Integer.parseInt(arguments[1]));
        } else {
            ask();
        }
    }

    private static void answer(int port) throws IOException {
        try (DatagramChannel socket = DatagramChannel.open()) {
            socket.bind(new InetSocketAddress(port));
            ByteBuffer data = ByteBuffer.allocateDirect(LENGTH * 2);
            while (true) {
                data.clear();
                var client = socket.receive(data);
                socket.send(data.flip(), client);
            }
        }
    }

    private static void ask() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        var lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] words = line.split(" ");
            var server = new InetSocketAddress(words[1], Integer.parseInt(words[2]));
            long start = System.nanoTime();
            long end = start + Integer.parseInt(words[3]) * 1_000_000_000L;
            Callable<Long> task =
                    words[0].equals("kept") ? () -> kept(server, end) : () -> fresh(server, end);
            long answered = 0;
            for (Future<Long> some : threads.invokeAll(List.of(task, task))) {
                answered += some.get();
            }
            System.out.println(answered + " " + (System.nanoTime() - start) / 1e9);
        }
        threads.shutdown();
    }

    private static long kept(InetSocketAddress server, long end) throws IOException {
        List<DatagramSocket> sockets = new ArrayList<>();
        for (int i = 0; i < KEPT; i++) {
            sockets.add(client(server));
        }
        long answered = 0;
        while (System.nanoTime() < end) {
            answered += askAll(sockets);
        }
        sockets.forEach(DatagramSocket::close);
        return answered;
    }

    private static long fresh(InetSocketAddress server, long end) throws IOException {
        long answered = 0;
        List<DatagramSocket> sockets = new ArrayList<>();
        while (System.nanoTime() < end) {
            for (int i = 0; i < FRESH; i++) {
                sockets.add(client(server));
            }
            answered += askAll(sockets);
            sockets.forEach(DatagramSocket::close);
            sockets.clear();
        }
        return answered;
    }

    private static int askAll(List<DatagramSocket> sockets) throws IOException {
        DatagramPacket packet = new DatagramPacket(new byte[LENGTH], LENGTH);
        for (DatagramSocket socket : sockets) {
            socket.send(packet);
        }
        for (DatagramSocket socket : sockets) {
            try {
                socket.receive(packet);
            } catch (SocketTimeoutException e) {
                throw new IOException("no answer to " + socket.getLocalSocketAddress(), e);
            }
        }
        return sockets.size();
    }

    /** From an address and port that has never asked before. */
    private static DatagramSocket client(InetSocketAddress server) throws IOException {
        while (true) {
            long number;
            synchronized (Questions.class) {
                number = nextClient++;
            }
            int address = 0x0a4e0001 + (int) (number / PORTS);
            var local = InetAddress.getByAddress(ByteBuffer.allocate(4).putInt(address).array());
            try {
                var socket = new DatagramSocket(
                        new InetSocketAddress(local, FIRST_PORT + (int) (number % PORTS)));
                socket.connect(server);
                socket.setSoTimeout(ANSWER_MILLIS);
                return socket;
            } catch (BindException e) {
                // Another program has the port on all addresses; the next one.
            }
        }
    }
}
