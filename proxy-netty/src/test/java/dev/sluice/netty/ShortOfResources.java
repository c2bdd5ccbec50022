package dev.sluice.netty;

import dev.sluice.model.Endpoint;
import dev.sluice.model.ExternalAccess;
import dev.sluice.model.IpAddress;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.RandomAccessFile;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.stream.Stream;

/**
 * A process with a proxy that is told, line by line, to take all descriptors and to give some back.
 * Each line is answered by one. {@code udp PORT} serves an endpoint over UDP as well.
 *
 * <p>Arguments: transport, endpoint's port. Threads: one.
 */
final class ShortOfResources {
    private ShortOfResources() {}

    /** Serves the endpoint until its input ends. */
    public static void main(String[] arguments) throws IOException {
        loadClasses();
        NettyTransport transport =
                arguments[0].equals("epoll") ? EpollTransport.required() : new NioTransport();
        InetSocketAddress endpoint =
                new InetSocketAddress(
                        InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[1]));
        Deque<RandomAccessFile> taken = new ArrayDeque<>();
        BufferedReader lines =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        try (Services services = new Services(Services.config(transport))) {
            System.out.println(services.open("web", endpoint).getPort());
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith("udp ")) {
                    System.out.println(openUdp(services, Integer.parseInt(line.substring(4))));
                    continue;
                }
                System.out.println(
                        switch (line) {
                            case "take" -> take(taken);
                            case "give" -> give(taken);
                            case "cpu" -> cpuMillis();
                            case "active" -> services.listeners().activeConnections();
                            default -> throw new IllegalArgumentException(line);
                        });
            }
            services.close("web");
            if (services.listeners().address(UdpProxy.DNS).isPresent()) {
                services.listeners().close(UdpProxy.DNS);
            }
        }
    }

    /**
     * A program has its classes in a file that is open. Here each may be a file of its own, which
     * can't be opened once there are no descriptors; and what could not be loaded then never is.
     */
    private static void loadClasses() throws IOException {
        URL place = ProxyConnection.class.getProtectionDomain().getCodeSource().getLocation();
        Path folder = Path.of(URI.create(place.toString()));
        if (!Files.isDirectory(folder)) {
            return;
        }
        try (Stream<Path> files = Files.walk(folder.resolve("dev/sluice/netty"))) {
            for (Path file : files.filter(each -> each.toString().endsWith(".class")).toList()) {
                String name = folder.relativize(file).toString().replace('/', '.');
                Class<?> unused =
                        Class.forName(
                                name.substring(0, name.length() - ".class".length()),
                                false,
                                ShortOfResources.class.getClassLoader());
            }
        } catch (ClassNotFoundException e) {
            throw new IOException(e);
        }
    }

    private static long openUdp(Services services, int endpoint) throws IOException {
        services.listeners()
                .open(
                        UdpProxy.servicePort(
                                ExternalAccess.NONE,
                                List.of(
                                        new Endpoint(
                                                IpAddress.of(InetAddress.getLoopbackAddress()),
                                                endpoint))));
        return services.listeners().address(UdpProxy.DNS).orElseThrow().getPort();
    }

    private static long take(Deque<RandomAccessFile> taken) {
        try {
            while (true) {
                taken.push(new RandomAccessFile("/dev/null", "r"));
            }
        } catch (IOException e) {
            return taken.size();
        }
    }

    private static long give(Deque<RandomAccessFile> taken) throws IOException {
        int given = taken.size();
        while (!taken.isEmpty()) {
            taken.pop().close();
        }
        return given;
    }

    private static long cpuMillis() {
        return ManagementFactory.getOperatingSystemMXBean()
                        instanceof com.sun.management.OperatingSystemMXBean os
                ? os.getProcessCpuTime() / 1_000_000
                : -1;
    }
}
