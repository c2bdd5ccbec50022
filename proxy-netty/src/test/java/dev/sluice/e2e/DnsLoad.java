package dev.sluice.e2e;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.Serializable;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Clients of a pod that ask for one name after another at a steady rate, each question once, until
 * {@link #stop}. A client waits for its answer before it asks again, and hears nobody but the
 * address that it asks.
 *
 * <p>Threads: one for each client.
 */
final class DnsLoad implements Closeable {
    private static final int CLIENTS = 16;
    private static final int ANSWER_MILLIS = 2_000;
    private static final int END_LIMIT_SECONDS = 30;
    private static final int HEADER = 12;
    private static final int LONGEST = 512;

    /** Bytes of a record that refers to the question's name and holds an IPv4 address. */
    private static final int RECORD = 16;

    /** Which ports clients ask from. */
    enum Ports {
        /** Another one for each question, as stub resolvers do. */
        FRESH,

        /** One for each client, as some caches do. */
        KEPT
    }

    /** A question that had no answer. Immutable; any thread. */
    record Lost(String name, String why, long askedMillis) implements Serializable {}

    /**
     * What became of all questions.
     *
     * <p>Immutable; any thread.
     *
     * @param answers how many have which address
     */
    record Outcome(Map<String, Integer> answers, List<Lost> lost) implements Serializable {
        int answered() {
            return answers.values().stream().mapToInt(Integer::intValue).sum();
        }
    }

    private final ScheduledExecutorService clock = Executors.newScheduledThreadPool(CLIENTS);
    private final InetSocketAddress server;
    private final AtomicInteger questions = new AtomicInteger();
    private final Map<String, Integer> answers = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<Lost> lost = new ConcurrentLinkedQueue<>();

    private DnsLoad(InetSocketAddress server, Ports ports, int perSecond) {
        this.server = server;
        long period = TimeUnit.SECONDS.toNanos(CLIENTS) / perSecond;
        for (int i = 0; i < CLIENTS; i++) {
            var unused =
                    clock.scheduleAtFixedRate(
                            new Client(ports), period * i / CLIENTS, period, TimeUnit.NANOSECONDS);
        }
    }

    /** Clients ask from now on. */
    static void start(Pod pod, InetSocketAddress server, Ports ports, int perSecond)
            throws IOException {
        pod.call(
                kept -> {
                    kept.put(ports.name(), new DnsLoad(server, ports, perSecond));
                    return true;
                });
    }

    /** What became of the questions until now. */
    static Outcome outcome(Pod pod, Ports ports) throws IOException {
        return pod.call(kept -> kept.get(ports.name(), DnsLoad.class).outcome());
    }

    /** Asks no more and waits for the last answers. */
    static Outcome stop(Pod pod, Ports ports) throws IOException {
        return pod.call(
                kept -> {
                    DnsLoad load = kept.get(ports.name(), DnsLoad.class);
                    kept.close(ports.name());
                    return load.outcome();
                });
    }

    private Outcome outcome() {
        return new Outcome(new TreeMap<>(answers), new ArrayList<>(lost));
    }

    @Override
    public void close() throws IOException {
        clock.shutdown();
        try {
            if (!clock.awaitTermination(END_LIMIT_SECONDS, TimeUnit.SECONDS)) {
                throw new IOException("clients still wait after " + END_LIMIT_SECONDS + " s");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** A question for an address, RFC 1035 section 4.1. */
    private static byte[] question(int id, String name) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream message = new DataOutputStream(bytes);
        message.writeShort(id);
        message.writeShort(0x0100); // recursion desired
        message.writeShort(1);
        message.writeShort(0);
        message.writeShort(0);
        message.writeShort(0);
        for (String label : name.split("\\.", -1)) {
            message.writeByte(label.length());
            message.write(label.getBytes(US_ASCII));
        }
        message.writeByte(0);
        message.writeShort(1); // A
        message.writeShort(1); // IN
        return bytes.toByteArray();
    }

    /** One client: a question each time. */
    private final class Client implements Runnable {
        private final Ports ports;
        private @Nullable DatagramSocket kept;

        Client(Ports ports) {
            this.ports = ports;
        }

        @Override
        public void run() {
            int number = questions.incrementAndGet();
            String name = "q" + number + "." + ports.name() + ".load.cluster.local";
            long asked = System.currentTimeMillis();
            try {
                if (ports == Ports.KEPT) {
                    kept = kept == null ? open() : kept;
                    ask(kept, number, name);
                } else {
                    try (DatagramSocket fresh = open()) {
                        ask(fresh, number, name);
                    }
                }
            } catch (PortUnreachableException e) {
                lost.add(new Lost(name, Clients.REFUSED, asked));
            } catch (SocketTimeoutException e) {
                lost.add(new Lost(name, Clients.TIMEOUT, asked));
            } catch (IOException | RuntimeException e) {
                lost.add(new Lost(name, e.toString(), asked));
            }
        }

        private DatagramSocket open() throws IOException {
            DatagramSocket socket = new DatagramSocket();
            socket.connect(server);
            socket.setSoTimeout(ANSWER_MILLIS);
            return socket;
        }

        private void ask(DatagramSocket socket, int number, String name) throws IOException {
            short id = (short) number;
            byte[] question = question(id, name);
            socket.send(new DatagramPacket(question, question.length));
            DatagramPacket packet = new DatagramPacket(new byte[LONGEST], LONGEST);
            do {
                packet.setLength(LONGEST);
                socket.receive(packet);
                // What came too late for the question before is not the answer to this one.
            } while (ByteBuffer.wrap(packet.getData()).getShort() != id);
            answers.merge(address(question, packet), 1, Integer::sum);
        }

        /** The address in an answer to this question that has one record, which is an address. */
        private String address(byte[] question, DatagramPacket answer) throws IOException {
            byte[] data = answer.getData();
            int length = answer.getLength();
            boolean same =
                    Arrays.equals(question, HEADER, question.length, data, HEADER, question.length);
            int codeAndCount = (data[3] & 0xf) << 16 | ByteBuffer.wrap(data).getShort(6);
            if (!same || codeAndCount != 1 || length < question.length + RECORD) {
                throw new IOException(
                        "not an answer: " + Arrays.toString(Arrays.copyOf(data, length)));
            }
            return InetAddress.getByAddress(Arrays.copyOfRange(data, length - 4, length))
                    .getHostAddress();
        }
    }
}
