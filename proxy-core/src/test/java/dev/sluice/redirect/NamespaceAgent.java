package dev.sluice.redirect;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.model.IpAddress;
import dev.sluice.model.IpFamily;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.net.ConnectException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A Java process inside a network namespace that listens, connects and looks at interfaces for a
 * test outside. One line asks, one line answers.
 *
 * <p>Threads: one thread.
 */
final class NamespaceAgent implements AutoCloseable {
    private static final int CONNECT_MILLIS = 5_000;

    /** Three retransmissions of a SYN. */
    private static final int RETRANSMISSIONS_MILLIS = 15_000;

    private final Process process;
    private final BufferedWriter questions;
    private final BufferedReader answers;

    private NamespaceAgent(Process process) {
        this.process = process;
        this.questions = process.outputWriter(UTF_8);
        this.answers = process.inputReader(UTF_8);
    }

    static NamespaceAgent start(Namespace namespace) throws IOException {
        String classPath =
                Stream.of(NamespaceAgent.class, NodeNetworkReader.class)
                        .map(type -> type.getProtectionDomain().getCodeSource().getLocation())
                        .map(location -> location.getPath())
                        .collect(Collectors.joining(":"));
        List<String> command = new ArrayList<>(namespace.prefix());
        command.addAll(
                List.of(
                        System.getProperty("java.home") + "/bin/java",
                        "-Xmx64m",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        classPath,
                        NamespaceAgent.class.getName()));
        return new NamespaceAgent(
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
    }

    /**
     * Accepts on all addresses of both families, sends each client the port and then back what it
     * sends.
     */
    void listen(int port) throws IOException {
        ask("listen " + port);
    }

    /** What the listener sent, {@code refused} or {@code timeout}. */
    String connect(String address, int port) throws IOException {
        return ask("connect " + address + " " + port);
    }

    /** The same as {@link #connect}, but the connection stays open until the next one does. */
    String hold(String address, int port) throws IOException {
        return ask("hold " + address + " " + port);
    }

    /** What comes back over the connection that is held. */
    String say(String word) throws IOException {
        return ask("say " + word);
    }

    /** How long everything may take from now on, instead of 5 s. */
    void patience(int millis) throws IOException {
        ask("patience " + millis);
    }

    /** Answers each datagram to this address and port. */
    void answer(String address, int port) throws IOException {
        ask("answer " + address + " " + port);
    }

    /** Where the answer to a datagram comes from, {@code refused} or {@code timeout}. */
    String datagram(String address, int port) throws IOException {
        return datagramFrom(0, address, port);
    }

    /** The same from one port of the client. */
    String datagramFrom(int source, String address, int port) throws IOException {
        return ask("datagram " + source + " " + address + " " + port);
    }

    /** Begins to connect; {@link #connected} tells how it ends. */
    String connectLater(String address, int port) throws IOException {
        return ask("connecting " + address + " " + port);
    }

    /** The first line over the connection begun last, or how it failed. */
    String connected() throws IOException {
        return ask("connected");
    }

    /** What {@link NodeNetworkReader} sees in there. */
    NodeNetwork network() throws IOException {
        List<NodeInterface> interfaces = new ArrayList<>();
        Map<IpFamily, String> defaults = new EnumMap<>(IpFamily.class);
        for (String word : ask("network").split(" ", -1)) {
            String[] parts = word.split(",", -1);
            switch (parts[0]) {
                case "default" -> defaults.put(IpFamily.valueOf(parts[1]), parts[2]);
                default ->
                        interfaces.add(
                                new NodeInterface(
                                        parts[0],
                                        Integer.parseInt(parts[1]),
                                        Stream.of(parts).skip(2).map(IpAddress::parse).toList()));
            }
        }
        return new NodeNetwork(interfaces, defaults, true);
    }

    private String ask(String question) throws IOException {
        questions.write(question + "\n");
        questions.flush();
        String answer = answers.readLine();
        if (answer == null) {
            throw new IOException("the agent ended at '" + question + "'");
        }
        return answer;
    }

    @Override
    public void close() throws IOException {
        questions.close();
        process.destroy();
    }

    /** The process inside; it ends with its input. */
    public static void main(String[] args) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        PrintWriter out = new PrintWriter(new OutputStreamWriter(System.out, UTF_8), true);
        Socket held = new Socket();
        int patience = CONNECT_MILLIS;
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ", -1);
            if (words[0].equals("hold")) {
                held.close();
                held = new Socket();
            }
            if (words[0].equals("patience")) {
                patience = Integer.parseInt(words[1]);
            }
            out.println(
                    switch (words[0]) {
                        case "listen" -> serve(Integer.parseInt(words[1]));
                        case "connect" -> {
                            try (Socket socket = new Socket()) {
                                yield dial(socket, words[1], Integer.parseInt(words[2]), patience);
                            }
                        }
                        case "hold" -> dial(held, words[1], Integer.parseInt(words[2]), patience);
                        case "patience" -> "patient";
                        case "say" -> exchange(held, words[1]);
                        case "answer" -> answers(words[1], Integer.parseInt(words[2]));
                        case "datagram" ->
                                sent(
                                        Integer.parseInt(words[1]),
                                        words[2],
                                        Integer.parseInt(words[3]),
                                        patience);
                        case "connecting" -> begin(words[1], Integer.parseInt(words[2]));
                        case "connected" -> end();
                        case "network" -> shown(NodeNetworkReader.read());
                        default -> "unknown question";
                    });
        }
    }

    private static String serve(int port) throws IOException {
        ServerSocket listener = new ServerSocket(port);
        daemon(
                () -> {
                    while (true) {
                        try {
                            Socket client = listener.accept();
                            daemon(() -> echo(client, port));
                        } catch (IOException e) {
                            System.err.println("listener " + port + ": " + e);
                        }
                    }
                });
        return "listening";
    }

    private static @Nullable SocketChannel begun;

    private static String begin(String address, int port) throws IOException {
        SocketChannel channel = SocketChannel.open();
        channel.configureBlocking(false);
        begun = channel;
        boolean done =
                channel.connect(
                        new InetSocketAddress(IpAddress.parse(address).toInetAddress(), port));
        return done ? "connected" : "connecting";
    }

    private static String end() throws IOException {
        try (SocketChannel channel = Objects.requireNonNull(begun);
                Selector selector = Selector.open()) {
            channel.register(selector, SelectionKey.OP_CONNECT);
            if (selector.select(RETRANSMISSIONS_MILLIS) == 0) {
                return "timeout";
            }
            channel.finishConnect();
            channel.keyFor(selector).cancel();
            selector.selectNow();
            channel.configureBlocking(true);
            return line(channel.socket());
        } catch (ConnectException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private static String answers(String address, int port) throws IOException {
        DatagramSocket socket =
                new DatagramSocket(
                        new InetSocketAddress(IpAddress.parse(address).toInetAddress(), port));
        daemon(
                () -> {
                    byte[] buffer = new byte[100];
                    while (true) {
                        try {
                            DatagramPacket packet = new DatagramPacket(buffer, buffer.length);
                            socket.receive(packet);
                            socket.send(packet);
                        } catch (IOException e) {
                            System.err.println("answering at " + port + ": " + e);
                        }
                    }
                });
        return "answering";
    }

    private static String sent(int source, String address, int port, int patience) {
        try (DatagramSocket socket = new DatagramSocket(source)) {
            socket.setSoTimeout(patience);
            // Only a connected socket hears that nobody is there.
            socket.connect(IpAddress.parse(address).toInetAddress(), port);
            byte[] question = "question".getBytes(UTF_8);
            socket.send(
                    new DatagramPacket(
                            question,
                            question.length,
                            IpAddress.parse(address).toInetAddress(),
                            port));
            DatagramPacket answer = new DatagramPacket(new byte[100], 100);
            socket.receive(answer);
            return IpAddress.of(answer.getAddress()) + ":" + answer.getPort();
        } catch (SocketTimeoutException e) {
            return "timeout";
        } catch (PortUnreachableException e) {
            return "refused";
        } catch (IOException e) {
            return e.toString();
        }
    }

    private static void daemon(Runnable task) {
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        thread.start();
    }

    private static void echo(Socket client, int port) {
        try (client) {
            client.getOutputStream().write((port + "\n").getBytes(UTF_8));
            client.getInputStream().transferTo(client.getOutputStream());
        } catch (IOException e) {
            System.err.println("client of " + port + ": " + e);
        }
    }

    private static String dial(Socket socket, String address, int port, int patience) {
        try {
            socket.setSoTimeout(patience);
            socket.connect(
                    new InetSocketAddress(IpAddress.parse(address).toInetAddress(), port),
                    patience);
            return line(socket);
        } catch (SocketTimeoutException e) {
            return "timeout";
        } catch (ConnectException e) {
            return "Connection refused".equals(e.getMessage()) ? "refused" : e.toString();
        } catch (IOException e) {
            return e.toString();
        }
    }

    private static String exchange(Socket socket, String word) {
        try {
            socket.getOutputStream().write((word + "\n").getBytes(UTF_8));
            return line(socket);
        } catch (IOException e) {
            return e.toString();
        }
    }

    private static String line(Socket socket) throws IOException {
        String line =
                new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8))
                        .readLine();
        return line == null ? "closed" : line;
    }

    private static String shown(NodeNetwork network) {
        List<String> words = new ArrayList<>();
        for (NodeInterface device : network.interfaces()) {
            words.add(
                    Stream.concat(
                                    Stream.of(device.name(), String.valueOf(device.index())),
                                    device.addresses().stream().map(IpAddress::toString))
                            .collect(Collectors.joining(",")));
        }
        network.defaultInterfaces()
                .forEach((family, name) -> words.add("default," + family + "," + name));
        return String.join(" ", words);
    }
}
