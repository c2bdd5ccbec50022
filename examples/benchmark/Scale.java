import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * The API side of the scale benchmark, in the cluster's network namespace.
 *
 * <p>{@code java Scale.java load STATE N M} creates N Services of M endpoints each. {@code java
 * Scale.java measure STATE N M PID BACKEND} changes endpoints, adds and removes Services, and
 * prints what each cost the process and how long it took. STATE is the state directory of {@code
 * examples/cluster}; BACKEND an address and port where somebody listens.
 */
public final class Scale {
    private static final String SERVICES = "/api/v1/namespaces/default/services";
    private static final String SLICES =
            "/apis/discovery.k8s.io/v1beta1/namespaces/default/endpointslices";
    private static final int AT_ONCE = 16;
    private static final int WARM_UP_CHANGES = 60;
    private static final int CHANGES = 40;
    private static final int NEW_SERVICES = 15;
    private static final long PAUSE_MILLIS = 300;
    private static final long PATIENCE_NANOS = 30_000_000_000L;
    private static final int CONNECT_MILLIS = 20;
    private static final int ASK_MILLIS = 5;

    private final String server;
    private final String authorization;
    private final HttpClient client;

    private Scale(Path state) throws Exception {
        server = "https://127.0.0.1:6443";
        authorization =
                Files.readString(state.resolve("admin.header"))
                        .strip()
                        .substring("Authorization: ".length());
        KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
        trusted.load(null, null);
        int count = 0;
        byte[] certificates = Files.readAllBytes(state.resolve("certs/apiserver.crt"));
        for (var certificate :
                CertificateFactory.getInstance("X.509")
                        .generateCertificates(new ByteArrayInputStream(certificates))) {
            trusted.setCertificateEntry("server" + count++, certificate);
        }
        TrustManagerFactory trust =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        client = HttpClient.newBuilder().sslContext(context).build();
    }

    public static void main(String[] args) throws Exception {
        Scale scale = new Scale(Path.of(args[1]));
        int services = Integer.parseInt(args[2]);
        int endpoints = Integer.parseInt(args[3]);
        switch (args[0]) {
            case "load" -> scale.load(services, endpoints);
            case "measure" -> scale.measure(services, endpoints, args[4], args[5]);
            default -> throw new IllegalArgumentException(args[0] + ": must be load or measure");
        }
    }

    private void load(int services, int endpoints) throws Exception {
        ExecutorService workers = Executors.newFixedThreadPool(AT_ONCE);
        List<Future<?>> created = new ArrayList<>();
        for (int i = 0; i < services; i++) {
            int number = i;
            created.add(
                    workers.submit(
                            () -> {
                                create(name(number), clusterIp(number), addresses(number, endpoints, 0), 8080);
                                return null;
                            }));
        }
        for (Future<?> each : created) {
            each.get();
        }
        workers.shutdown();
    }

    private void measure(int services, int endpoints, String pid, String backend) throws Exception {
        List<Double> wall = new ArrayList<>();
        for (int i = 0; i < WARM_UP_CHANGES; i++) {
            change(i, services, endpoints);
        }
        double idle = idleCpuPerSecond(pid);
        double cpu = cpuMillis(pid);
        long begin = System.nanoTime();
        double runs = metric("kubeproxy_sync_proxy_rules_duration_seconds_count");
        double busy = metric("kubeproxy_sync_proxy_rules_duration_seconds_sum");
        for (int i = 0; i < CHANGES; i++) {
            change(WARM_UP_CHANGES + i, services, endpoints);
        }
        double seconds = (System.nanoTime() - begin) / 1e9;
        row("endpoint change, CPU ms", (cpuMillis(pid) - cpu - idle * seconds) / CHANGES);
        double ran = metric("kubeproxy_sync_proxy_rules_duration_seconds_count") - runs;
        row("run of the control path, ms", (metric("kubeproxy_sync_proxy_rules_duration_seconds_sum") - busy) * 1000 / ran);
        row("idle, CPU ms a second", idle);

        InetSocketAddress target = new InetSocketAddress(backend.split(":", -1)[0], Integer.parseInt(backend.split(":", -1)[1]));
        List<Double> gone = new ArrayList<>();
        begin = System.nanoTime();
        cpu = cpuMillis(pid);
        for (int i = 0; i < NEW_SERVICES; i++) {
            String name = "new-" + i;
            String clusterIp = "10.96.250." + (i + 1);
            InetSocketAddress asked = new InetSocketAddress(clusterIp, 80);
            long start = System.nanoTime();
            create(name, clusterIp, List.of(target.getAddress().getHostAddress()), target.getPort());
            wall.add(until(asked, true, start));
            // So that it comes in a quiet time, as the one before it did.
            Thread.sleep(4 * PAUSE_MILLIS);
            start = System.nanoTime();
            send("DELETE", SERVICES + "/" + name, "");
            gone.add(until(asked, false, start));
            send("DELETE", SLICES + "/" + name + "-1", "");
            Thread.sleep(4 * PAUSE_MILLIS);
        }
        seconds = (System.nanoTime() - begin) / 1e9;
        row("new Service answers after, ms (median)", median(wall));
        row("new Service answers after, ms (slowest)", wall.stream().mapToDouble(d -> d).max().orElse(0));
        row("removed Service is gone after, ms (median)", median(gone));
        row("Service added and removed, CPU ms", (cpuMillis(pid) - cpu - idle * seconds) / NEW_SERVICES);
        row("resident, MiB", status(pid, "VmRSS") / 1024);
        row("heap in use, MiB", metric("jvm_memory_used_bytes{area=\"heap\"}") / 1048576);
        row("threads", status(pid, "Threads"));
        row("descriptors", descriptors(pid));
    }

    private void change(int turn, int services, int endpoints) throws Exception {
        int number = turn * 37 % services;
        send(
                "PATCH",
                SLICES + "/" + name(number) + "-1",
                slice(name(number), addresses(number, endpoints, turn + 1), 8080));
        Thread.sleep(PAUSE_MILLIS);
    }

    /** Milliseconds until connections are taken, or are no more. */
    private static double until(InetSocketAddress asked, boolean answers, long start)
            throws IOException, InterruptedException {
        while (answers(asked) != answers) {
            // So that what is measured is not the proxy at work on these connections.
            Thread.sleep(ASK_MILLIS);
            if (System.nanoTime() - start > PATIENCE_NANOS) {
                throw new IOException(asked + (answers ? " never answered" : " answered on"));
            }
        }
        return (System.nanoTime() - start) / 1e6;
    }

    private static boolean answers(InetSocketAddress asked) {
        try (Socket socket = new Socket()) {
            socket.connect(asked, CONNECT_MILLIS);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static double idleCpuPerSecond(String pid) throws Exception {
        double before = cpuMillis(pid);
        long start = System.nanoTime();
        Thread.sleep(9_000);
        return (cpuMillis(pid) - before) / ((System.nanoTime() - start) / 1e9);
    }

    /** User and system time of the process and of the programs that it has run and waited for. */
    private static double cpuMillis(String pid) throws IOException {
        String stat = Files.readString(Path.of("/proc", pid, "stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        return IntStream.range(11, 15).mapToLong(i -> Long.parseLong(fields[i])).sum() * 10.0;
    }

    private static double status(String pid, String key) throws IOException {
        Matcher matcher =
                Pattern.compile(key + ":\\s+(\\d+)")
                        .matcher(Files.readString(Path.of("/proc", pid, "status")));
        return matcher.find() ? Double.parseDouble(matcher.group(1)) : Double.NaN;
    }

    private static double descriptors(String pid) throws IOException {
        try (var open = Files.list(Path.of("/proc", pid, "fd"))) {
            return open.count();
        }
    }

    private double metric(String name) throws Exception {
        HttpResponse<String> page =
                client.send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:10249/metrics")).build(),
                        HttpResponse.BodyHandlers.ofString());
        return page.body()
                .lines()
                .filter(line -> line.startsWith(name + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
                .findFirst()
                .orElse(Double.NaN);
    }

    private void create(String name, String clusterIp, List<String> addresses, int port) throws Exception {
        send(
                "POST",
                SERVICES,
                "{\"apiVersion\":\"v1\",\"kind\":\"Service\",\"metadata\":{\"name\":\"%s\"},\"spec\":{\"clusterIP\":\"%s\",\"ports\":[{\"port\":80,\"targetPort\":8080}]}}"
                        .formatted(name, clusterIp));
        send("POST", SLICES, slice(name, addresses, port));
    }

    private static String slice(String name, List<String> addresses, int port) {
        return "{\"apiVersion\":\"discovery.k8s.io/v1beta1\",\"kind\":\"EndpointSlice\",\"metadata\":{\"name\":\"%s-1\",\"labels\":{\"kubernetes.io/service-name\":\"%s\"}},\"addressType\":\"IPv4\",\"endpoints\":[%s],\"ports\":[{\"name\":\"\",\"port\":%d,\"protocol\":\"TCP\"}]}"
                .formatted(
                        name,
                        name,
                        addresses.stream()
                                .map(address -> "{\"addresses\":[\"" + address + "\"],\"conditions\":{\"ready\":true}}")
                                .collect(Collectors.joining(",")),
                        port);
    }

    private void send(String method, String path, String body) throws Exception {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(server + path))
                        .header("Authorization", authorization)
                        .header("Content-Type", method.equals("PATCH") ? "application/merge-patch+json" : "application/json")
                        .method(method, HttpRequest.BodyPublishers.ofString(body))
                        .build();
        HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() >= 300) {
            throw new IOException(method + " " + path + ": " + response.statusCode() + " " + response.body());
        }
    }

    private static String name(int number) {
        return "s-" + number;
    }

    private static String clusterIp(int number) {
        return "10.96." + (1 + number / 200) + "." + (1 + number % 200);
    }

    /** Addresses that nobody has; nobody asks for them either. */
    private static List<String> addresses(int number, int count, int turn) {
        return IntStream.range(0, count)
                .map(i -> (number * count + i + turn * 7919) % 60_000)
                .mapToObj(i -> "10.244." + i / 250 + "." + (1 + i % 250))
                .toList();
    }

    private static double median(List<Double> values) {
        double[] sorted = values.stream().mapToDouble(d -> d).sorted().toArray();
        return Arrays.stream(sorted, (sorted.length - 1) / 2, sorted.length / 2 + 1).average().orElse(Double.NaN);
    }

    private static void row(String what, double value) {
        System.out.printf(Locale.ROOT, "%-44s %10.1f%n", what, value);
    }
}
