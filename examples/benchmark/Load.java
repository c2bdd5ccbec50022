import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * TCP loads of the benchmark that no common tool offers.
 *
 * <p>{@code latency HOST PORT RATE SECONDS} asks for {@code /small} at a fixed rate over 16
 * connections and prints answers, seconds, and p50, p99 and p99.9 in microseconds. Time counts from
 * when a request should have been sent, so that one slow answer counts for all that wait behind it.
 * {@code idle HOST PORT COUNT} opens connections, asks once on each, prints {@code ready}, and holds
 * them until its input ends.
 */
public final class Load {
    private static final int CONNECTIONS = 16;
    private static final int TIMEOUT_MILLIS = 10_000;

    private Load() {}

    public static void main(String[] arguments) throws Exception {
        var server = new InetSocketAddress(arguments[1], Integer.parseInt(arguments[2]));
        int number = Integer.parseInt(arguments[3]);
        if (arguments[0].equals("idle")) {
            idle(server, number);
        } else {
            latency(server, number, Integer.parseInt(arguments[4]));
        }
    }

    private static void idle(InetSocketAddress server, int count) throws IOException {
        List<Client> clients = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            var client = new Client(server);
            client.ask();
            clients.add(client);
        }
        System.out.println("ready");
        while (System.in.read() >= 0) {}
        for (Client client : clients) {
            client.socket.close();
        }
    }

    private static void latency(InetSocketAddress server, int rate, int seconds) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(CONNECTIONS);
        long period = 1_000_000_000L * CONNECTIONS / rate;
        run(threads, server, period, 1); // The load's own code gets warm.
        long start = System.nanoTime();
        Histogram all = run(threads, server, period, seconds);
        double took = (System.nanoTime() - start) / 1e9;
        threads.shutdown();
        System.out.printf(
                "%d %.3f %.1f %.1f %.1f%n",
                all.getTotalCount(),
                took,
                all.getValueAtPercentile(50) / 1e3,
                all.getValueAtPercentile(99) / 1e3,
                all.getValueAtPercentile(99.9) / 1e3);
    }

    private static Histogram run(
            ExecutorService threads, InetSocketAddress server, long period, int seconds)
            throws Exception {
        long start = System.nanoTime() + 10_000_000;
        List<Callable<Histogram>> tasks = new ArrayList<>();
        for (int i = 0; i < CONNECTIONS; i++) {
            long first = start + period * i / CONNECTIONS;
            tasks.add(() -> paced(server, first, period, start + seconds * 1_000_000_000L));
        }
        var all = new Histogram(3);
        for (Future<Histogram> some : threads.invokeAll(tasks)) {
            all.add(some.get());
        }
        return all;
    }

    private static Histogram paced(InetSocketAddress server, long first, long period, long end)
            throws IOException {
        var times = new Histogram(3);
        var client = new Client(server);
        for (long intended = first; intended < end; intended += period) {
            for (long now = System.nanoTime(); now < intended; now = System.nanoTime()) {
                LockSupport.parkNanos(intended - now);
            }
            client.ask();
            times.recordValue(System.nanoTime() - intended);
        }
        client.socket.close();
        return times;
    }

    private static final class Client {
        private static final byte[] REQUEST =
                "GET /small HTTP/1.1\r\nHost: b\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
        private static final byte[] BODY = "x".repeat(100).getBytes(StandardCharsets.US_ASCII);

        private final Socket socket = new Socket();
        private final InputStream in;
        private final byte[] answer = new byte[1024];

        Client(InetSocketAddress server) throws IOException {
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(TIMEOUT_MILLIS);
            socket.connect(server, TIMEOUT_MILLIS);
            in = socket.getInputStream();
        }

        /** The answer ends with the body, whose bytes no header repeats at its end. */
        void ask() throws IOException {
            socket.getOutputStream().write(REQUEST);
            int length = 0;
            do {
                int read = in.read(answer, length, answer.length - length);
                if (read < 0) {
                    throw new EOFException("the connection ended within an answer");
                }
                length += read;
            } while (!endsWithBody(length));
        }

        private boolean endsWithBody(int length) {
            return length >= BODY.length
                    && java.util.Arrays.equals(
                            answer, length - BODY.length, length, BODY, 0, BODY.length);
        }
    }
}
