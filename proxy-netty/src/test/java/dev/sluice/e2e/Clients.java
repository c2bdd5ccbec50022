package dev.sluice.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.peer.Peer;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * What clients of a pod do; run there.
 *
 * <p>Stateless; any thread.
 */
public final class Clients {
    public static final String REFUSED = "refused";
    public static final String RESET = "reset";
    public static final String CLOSED = "closed";
    public static final String TIMEOUT = "timeout";

    /** Long enough to say that nobody answers. */
    static final Duration BRIEF = Duration.ofSeconds(2);

    private Clients() {}

    /** What a client was told, and how long it took. Immutable; any thread. */
    public record Answer(String text, long millis) implements Serializable {}

    /**
     * Connects, waits for a first character, sends FIN and reads to the end: what came, and how the
     * connection ended if not by FIN.
     */
    public static String ask(InetSocketAddress service) throws IOException {
        return ask(service, Peer.PATIENCE);
    }

    /** The same for a client that waits so long. */
    static String ask(InetSocketAddress service, Duration patience) throws IOException {
        StringBuilder text = new StringBuilder();
        try (Peer peer = Peer.connect(service, patience)) {
            text.append(peer.receiveText(1));
            peer.finish();
            while (true) {
                text.append(peer.receiveText(1));
            }
        } catch (EOFException e) {
            return text.isEmpty() ? CLOSED : text.toString();
        } catch (SocketTimeoutException e) {
            return text + TIMEOUT;
        } catch (ConnectException e) {
            return "Connection refused".equals(e.getMessage()) ? REFUSED : e.toString();
        } catch (SocketException e) {
            boolean reset = String.valueOf(e.getMessage()).startsWith("Connection reset");
            return text + (reset ? RESET : e.toString());
        }
    }

    /** The status and the body at a URL; the connection is not kept alive. */
    static String get(String url) throws IOException {
        HttpURLConnection asked = (HttpURLConnection) URI.create(url).toURL().openConnection();
        asked.setRequestProperty("Connection", "close");
        try {
            int status = asked.getResponseCode();
            try (InputStream body =
                    status < 400 ? asked.getInputStream() : asked.getErrorStream()) {
                return status + " " + new String(body.readAllBytes(), UTF_8);
            }
        } catch (ConnectException e) {
            return REFUSED;
        }
    }

    /** Asks one time after another; how often which answer came. */
    public static Map<String, Integer> ask(InetSocketAddress service, int times)
            throws IOException {
        Map<String, Integer> answers = new TreeMap<>();
        for (int i = 0; i < times; i++) {
            answers.merge(ask(service), 1, Integer::sum);
        }
        return answers;
    }

    /** One after another; what each was told, and after how many milliseconds. */
    public static List<Answer> askInTurn(InetSocketAddress service, int clients)
            throws IOException {
        List<Answer> all = new ArrayList<>();
        for (int i = 0; i < clients; i++) {
            all.add(timed(service));
        }
        return all;
    }

    private static Answer timed(InetSocketAddress service) throws IOException {
        long start = System.nanoTime();
        String answer = ask(service);
        return new Answer(answer, (System.nanoTime() - start) / 1_000_000);
    }

    /** All at the same moment; what each was told, and after how many milliseconds. */
    public static List<Answer> askAtOnce(InetSocketAddress service, int clients) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(clients);
        try {
            CountDownLatch ready = new CountDownLatch(clients);
            List<Future<Answer>> answers = new ArrayList<>();
            for (int i = 0; i < clients; i++) {
                answers.add(
                        threads.submit(
                                () -> {
                                    ready.countDown();
                                    ready.await();
                                    return timed(service);
                                }));
            }
            List<Answer> all = new ArrayList<>();
            for (Future<Answer> answer : answers) {
                all.add(answer.get());
            }
            return all;
        } finally {
            threads.shutdownNow();
        }
    }
}
