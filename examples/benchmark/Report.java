import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Prints the table of the peer benchmark and writes {@code peers.json} and {@code peers.svg}.
 *
 * <p>{@code java Report.java RESULTS DIRECTORY}. A line of results is: kind, peer, units, seconds, CPU
 * microseconds of the process or {@code -}, CPU microseconds of the system, and for latency p50, p99
 * and p99.9 in microseconds; for idle connections: kind, peer, connections, KiB resident before, KiB
 * more. Medians over rounds are shown.
 */
public final class Report {
    private static final String PLOTTED = "cpu_us_per_unit";

    /** Kind, then peer, then figure, then a value of each round. */
    private final Map<String, Map<String, Map<String, List<Double>>>> all = new LinkedHashMap<>();

    private Report() {}

    public static void main(String[] arguments) throws IOException {
        var report = new Report();
        for (String line : Files.readAllLines(Path.of(arguments[0]))) {
            report.add(line.trim().split("\\s+"));
        }
        report.print();
        Path directory = Files.createDirectories(Path.of(arguments[1]));
        Files.writeString(directory.resolve("peers.json"), report.json());
        Files.writeString(directory.resolve("peers.svg"), report.svg());
    }

    private void add(String[] of) {
        if (of[0].equals("idle")) {
            double connections = Double.parseDouble(of[2]);
            value(of, "rss_kib_before", Double.parseDouble(of[3]));
            value(of, "rss_bytes_per_connection", Double.parseDouble(of[4]) * 1024 / connections);
            return;
        }
        double units = Double.parseDouble(of[2]);
        value(of, "units_per_s", units / Double.parseDouble(of[3]));
        // The load of the latency warms itself up, which is no work of a request that is counted.
        if (!of[0].equals("latency")) {
            if (!of[4].equals("-")) {
                value(of, PLOTTED, Double.parseDouble(of[4]) / units);
            }
            value(of, "system_cpu_us_per_unit", Double.parseDouble(of[5]) / units);
        }
        String[] quantiles = {"p50_us", "p99_us", "p99.9_us"};
        for (int i = 6; i < of.length; i++) {
            value(of, quantiles[i - 6], Double.parseDouble(of[i]));
        }
    }

    private void value(String[] of, String figure, double value) {
        all.computeIfAbsent(of[0], k -> new LinkedHashMap<>())
                .computeIfAbsent(of[1], k -> new LinkedHashMap<>())
                .computeIfAbsent(figure, k -> new ArrayList<>())
                .add(value);
    }

    private static double median(List<Double> values) {
        double[] sorted = values.stream().mapToDouble(v -> v).sorted().toArray();
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1
                ? sorted[middle]
                : Arrays.stream(sorted, middle - 1, middle + 1).average().orElseThrow();
    }

    private double ratio(String kind, String figure, double value, String reference) {
        var values = all.get(kind).getOrDefault(reference, Map.of()).get(figure);
        return values == null ? Double.NaN : value / median(values);
    }

    private void print() {
        all.forEach((kind, peers) -> {
            System.out.printf(
                    "%n%-16s %-28s %12s %10s %10s%n",
                    kind, "", "", "/ haproxy", "/ kube-us.");
            peers.forEach((peer, figures) -> figures.forEach((figure, values) -> {
                double value = median(values);
                System.out.printf(
                        Locale.ROOT,
                        "%-16s %-28s %12.2f %10.2f %10.2f%n",
                        peer,
                        figure,
                        value,
                        ratio(kind, figure, value, "haproxy"),
                        ratio(kind, figure, value, "kube-userspace"));
            }));
        });
    }

    private String json() {
        var json = new StringBuilder("{");
        String kindComma = "\n";
        for (var kind : all.entrySet()) {
            json.append(kindComma).append("  \"").append(kind.getKey()).append("\": {");
            kindComma = ",\n";
            String peerComma = "\n";
            for (var peer : kind.getValue().entrySet()) {
                json.append(peerComma).append("    \"").append(peer.getKey()).append("\": {");
                peerComma = ",\n";
                String comma = "";
                for (var figure : peer.getValue().entrySet()) {
                    json.append(comma).append('"').append(figure.getKey()).append("\": ");
                    json.append(figure.getValue());
                    comma = ", ";
                }
                json.append("}");
            }
            json.append("\n  }");
        }
        return json.append("\n}\n").toString();
    }

    /** A group of bars for each kind that has CPU time: microseconds per unit, HAProxy's being 1. */
    private String svg() {
        var bars = new StringBuilder();
        int y = 30;
        for (var kind : all.entrySet()) {
            if (kind.getKey().equals("latency") || kind.getKey().equals("idle")) {
                continue;
            }
            bars.append(text(10, y, kind.getKey(), " font-weight='bold'"));
            y += 18;
            for (var peer : kind.getValue().entrySet()) {
                List<Double> values = peer.getValue().get(PLOTTED);
                if (values == null) {
                    continue;
                }
                double most = 0;
                for (var other : kind.getValue().values()) {
                    most = Math.max(most, other.containsKey(PLOTTED) ? median(other.get(PLOTTED)) : 0);
                }
                double value = median(values);
                int width = most == 0 ? 0 : (int) (360 * value / most);
                String colour = peer.getKey().equals("sluice") ? "#0a7" : "#999";
                bars.append(text(20, y, peer.getKey(), ""));
                bars.append(String.format(
                        "<rect x='130' y='%d' width='%d' height='12' fill='%s'/>%n",
                        y - 11, width, colour));
                bars.append(text(136 + width, y, String.format(Locale.ROOT, "%.1f", value), ""));
                y += 16;
            }
            y += 10;
        }
        return String.format(
                "<svg xmlns='http://www.w3.org/2000/svg' width='600' height='%d' font-family='sans-serif'"
                        + " font-size='12'>%n<rect width='100%%' height='100%%' fill='#fff'/>%n%s%s</svg>%n",
                y,
                text(10, 14, "CPU time of the proxy: ms per GB is us / 1000; us per request, connection, question", ""),
                bars);
    }

    private static String text(int x, int y, String text, String more) {
        return String.format("<text x='%d' y='%d'%s>%s</text>%n", x, y, more, text);
    }
}
