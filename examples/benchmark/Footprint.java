import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What Sluice takes to start and to be there: time and CPU time from its start to the first answer of an endpoint, resident
 * memory with 100 Services of three endpoints each after 500 connections, and what idle connections add.
 *
 * <p>{@code java Footprint.java LAUNCHER JCMD STARTS IDLE FOLDER}: the launcher, jcmd, how many starts of each kind, how
 * many idle connections, and a folder for files.
 */
public final class Footprint {
    private static final int SERVICES = 100;
    private static final int CONNECTIONS = 500;
    private static final Pattern LISTENER = Pattern.compile(".* -> 127\\.0\\.0\\.1:(\\d+)");

    private static final Pattern TOTAL = Pattern.compile("Total +\\d+ +(\\d+)");

    private final Path launcher;
    private final String jcmd;
    private final Path folder;
    private final int backendPort;

    private Footprint(Path launcher, String jcmd, Path folder, int backendPort) {
        this.launcher = launcher;
        this.jcmd = jcmd;
        this.folder = folder;
        this.backendPort = backendPort;
    }

    public static void main(String[] arguments) throws Exception {
        Footprint footprint =
                new Footprint(Path.of(arguments[0]), arguments[1], Path.of(arguments[4]), startBackend());
        int starts = Integer.parseInt(arguments[2]);
        int idle = Integer.parseInt(arguments[3]);
        Path archive = footprint.folder.resolve("sluice.jsa");
        for (String preset : List.of("sluice", "sluice-sidecar")) {
            Files.deleteIfExists(archive);
            footprint.starts(preset, "without archive", archive, starts);
            footprint.writeArchive(preset, archive);
            footprint.starts(preset, "with archive", archive, starts);
            footprint.memory(preset, archive, idle);
        }
        System.exit(0);
    }

    private void starts(String preset, String kind, Path archive, int count) throws Exception {
        Path manifest = manifest(1);
        double[] seconds = new double[count];
        double[] cpu = new double[count];
        for (int i = 0; i < count; i++) {
            try (Running sluice = start(preset, manifest, archive, 1)) {
                seconds[i] = sluice.seconds;
                cpu[i] = sluice.cpuSeconds();
            }
        }
        System.out.printf(
                "%-15s %-16s first connection after %.2f s, CPU %.2f s%n",
                preset, kind, median(seconds), median(cpu));
    }

    private void memory(String preset, Path archive, int idle) throws Exception {
        try (Running sluice = start(preset, manifest(SERVICES), archive, SERVICES)) {
            for (int i = 0; i < CONNECTIONS; i++) {
                connect(sluice.ports.get(i % SERVICES)).close();
            }
            System.out.printf(
                    "%-15s %d Services, after %d connections: resident %.0f MiB%n",
                    preset, SERVICES, CONNECTIONS, sluice.residentKib() / 1024.0);
            long heapBefore = liveHeap(sluice);
            long before = sluice.residentKib();
            List<SocketChannel> clients = new ArrayList<>();
            for (int i = 0; i < idle; i++) {
                clients.add(connect(sluice.ports.get(i % SERVICES)));
            }
            long heapAfter = liveHeap(sluice);
            long after = sluice.residentKib();
            System.out.printf(
                    "%-15s %d idle connections: resident %.0f MiB, %.2f KiB a connection,"
                            + " of the heap %.2f KiB%n",
                    preset,
                    idle,
                    after / 1024.0,
                    (after - before) / (double) idle,
                    (heapAfter - heapBefore) / 1024.0 / idle);
            for (SocketChannel client : clients) {
                client.close();
            }
        }
    }

    /** Bytes of live objects; what is not live is collected. */
    private long liveHeap(Running sluice) throws Exception {
        Process histogram =
                new ProcessBuilder(
                                jcmd, String.valueOf(sluice.process.pid()), "GC.class_histogram")
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        List<String> lines = histogram.inputReader().lines().toList();
        Matcher total = TOTAL.matcher(lines.get(lines.size() - 1));
        if (histogram.waitFor() != 0 || !total.matches()) {
            throw new IOException(jcmd + " failed: it must be of the JDK that runs Sluice");
        }
        return Long.parseLong(total.group(1));
    }

    private void writeArchive(String preset, Path archive) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(launcher.toString(), "archive").inheritIO();
        builder.environment().put("SLUICE_JVM", preset);
        builder.environment().put("SLUICE_ARCHIVE", archive.toString());
        if (builder.start().waitFor() != 0) {
            throw new IOException("no archive");
        }
    }

    private Running start(String preset, Path manifest, Path archive, int services)
            throws Exception {
        ProcessBuilder builder =
                new ProcessBuilder(
                        launcher.toString(), "run", "--manifests", manifest.toString(),
                        "--redirect", "none",
                        "--set", "dial.allow-loopback=true",
                        "--set", "health.address=none",
                        "--set", "admin.address=127.0.0.1:0");
        builder.environment().put("SLUICE_JVM", preset);
        builder.environment().put("SLUICE_ARCHIVE", archive.toString());
        long begin = System.nanoTime();
        Process process = builder.start();
        List<Integer> ports = new ArrayList<>();
        // Not closed: Sluice goes on to write there.
        BufferedReader log = process.errorReader();
        while (ports.size() < services) {
            String line = log.readLine();
            if (line == null) {
                throw new IOException("Sluice has ended");
            }
            Matcher listener = LISTENER.matcher(line);
            if (listener.matches()) {
                ports.add(Integer.parseInt(listener.group(1)));
                if (ports.size() == 1) {
                    connect(ports.get(0)).close();
                }
            }
        }
        return new Running(process, log, ports, (System.nanoTime() - begin) / 1e9);
    }

    private record Running(Process process, BufferedReader log, List<Integer> ports, double seconds)
            implements AutoCloseable {
        double cpuSeconds() {
            return process.info().totalCpuDuration().orElseThrow().toMillis() / 1e3;
        }

        long residentKib() throws IOException {
            for (String line : Files.readAllLines(Path.of("/proc/" + process.pid() + "/status"))) {
                if (line.startsWith("VmRSS:")) {
                    return Long.parseLong(line.replaceAll("\\D", ""));
                }
            }
            throw new IOException("no VmRSS");
        }

        @Override
        public void close() throws Exception {
            process.toHandle().destroy();
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        }
    }

    /** A connection through Sluice that has had one answer. */
    private static SocketChannel connect(int port) throws IOException {
        SocketChannel client = SocketChannel.open(new InetSocketAddress("127.0.0.1", port));
        client.setOption(StandardSocketOptions.SO_LINGER, 0);
        client.write(ByteBuffer.wrap(new byte[] {'?'}));
        if (client.read(ByteBuffer.allocate(1)) != 1) {
            throw new IOException("no answer through port " + port);
        }
        return client;
    }

    private static int startBackend() throws IOException {
        Selector selector = Selector.open();
        int port = 0;
        for (String address : List.of("127.0.0.1", "127.0.0.2", "127.0.0.3")) {
            ServerSocketChannel server = ServerSocketChannel.open();
            server.bind(new InetSocketAddress(address, port), 1024);
            port = ((InetSocketAddress) server.getLocalAddress()).getPort();
            server.configureBlocking(false);
            server.register(selector, SelectionKey.OP_ACCEPT);
        }
        Thread thread = new Thread(() -> echo(selector), "backend");
        thread.setDaemon(true);
        thread.start();
        return port;
    }

    private static void echo(Selector selector) {
        ByteBuffer buffer = ByteBuffer.allocate(64);
        while (true) {
            try {
                selector.select(key -> echo(key, buffer));
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static void echo(SelectionKey key, ByteBuffer buffer) {
        try {
            if (key.channel() instanceof ServerSocketChannel server) {
                SocketChannel accepted = server.accept();
                accepted.configureBlocking(false);
                accepted.register(key.selector(), SelectionKey.OP_READ);
                return;
            }
            SocketChannel channel = (SocketChannel) key.channel();
            if (channel.read(buffer.clear()) < 0) {
                channel.close();
            } else {
                channel.write(buffer.flip());
            }
        } catch (IOException e) {
            key.cancel();
            try {
                key.channel().close();
            } catch (IOException closed) {
                throw new IllegalStateException(closed);
            }
        }
    }

    private Path manifest(int services) throws IOException {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < services; i++) {
            text.append(
                    """
                    ---
                    apiVersion: v1
                    kind: Service
                    metadata: {name: service-%1$d}
                    spec: {clusterIP: 192.0.2.%2$d, ports: [{name: http, port: 80}]}
                    ---
                    apiVersion: discovery.k8s.io/v1
                    kind: EndpointSlice
                    metadata: {name: service-%1$d-1, labels: {kubernetes.io/service-name: service-%1$d}}
                    addressType: IPv4
                    endpoints: [{addresses: [127.0.0.1]}, {addresses: [127.0.0.2]}, {addresses: [127.0.0.3]}]
                    ports: [{name: http, port: %3$d}]
                    """
                            .formatted(i, i + 1, backendPort));
        }
        return Files.writeString(folder.resolve("services-" + services + ".yaml"), text);
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }
}
