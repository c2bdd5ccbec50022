package dev.sluice.state;

import dev.sluice.model.Protocol;
import dev.sluice.model.ServicePortName;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file of remembered ports: one {@code namespace/name:port/tcp 12345} per line, longest unused
 * first; {@code #} begins a comment line.
 *
 * <p>Stateless; any thread. Both methods block on the disk.
 */
final class PortFile {
    private static final Logger log = LoggerFactory.getLogger(PortFile.class);
    private static final Pattern LINE =
            Pattern.compile(
                    "([^/:\\s]+)/([^/:\\s]+)(?::([^/:\\s]+))?/(tcp|udp|sctp)\\s+([1-9]\\d{0,4})");
    private static final String HEADER = "# Local ports of the listeners of Sluice.\n";

    /** So that a file that is something else altogether does not flood the log. */
    private static final int MOST_WARNINGS = 10;

    private PortFile() {}

    /**
     * Reads what can be read: a line that is malformed or repeats a name or a port is named in a
     * WARN and left out, since a port that is lost costs less than a proxy that does not start.
     */
    static Map<ServicePortName, Integer> read(Path file) {
        Map<ServicePortName, Integer> ports = new LinkedHashMap<>();
        Set<Integer> taken = new HashSet<>();
        String text;
        try {
            text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
        } catch (NoSuchFileException e) {
            return ports;
        } catch (IOException e) {
            log.warn("{} can not be read; listeners get new ports: {}", file, e.toString());
            return ports;
        }
        String[] lines = text.split("\\R", -1);
        int bad = 0;
        for (int i = 0; i < lines.length; i++) {
            String line = lines[i].strip();
            if (!line.isEmpty() && !line.startsWith("#") && !add(line, ports, taken)) {
                bad++;
                if (bad <= MOST_WARNINGS) {
                    log.warn("{}:{}: '{}' is left out: {}", file, i + 1, shown(line), rule());
                }
            }
        }
        if (bad > MOST_WARNINGS) {
            log.warn("{}: {} more lines are left out", file, bad - MOST_WARNINGS);
        }
        return ports;
    }

    /** Replaces the file in one step: a crash leaves the old content or the new one. */
    static void write(Path file, Map<ServicePortName, Integer> ports) throws IOException {
        StringBuilder text = new StringBuilder(HEADER);
        ports.forEach((name, port) -> text.append(name).append(' ').append(port).append('\n'));
        Path temporary = file.resolveSibling(file.getFileName() + ".tmp");
        try (FileChannel channel =
                FileChannel.open(
                        temporary,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING,
                        StandardOpenOption.WRITE)) {
            ByteBuffer bytes = StandardCharsets.UTF_8.encode(text.toString());
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
    }

    private static boolean add(
            String line, Map<ServicePortName, Integer> ports, Set<Integer> taken) {
        Matcher matcher = LINE.matcher(line);
        if (!matcher.matches()) {
            return false;
        }
        int port = Integer.parseInt(matcher.group(5));
        if (port > 65535 || taken.contains(port)) {
            return false;
        }
        String portName = matcher.group(3);
        ServicePortName name =
                ServicePortName.of(
                        matcher.group(1),
                        matcher.group(2),
                        portName == null ? "" : portName,
                        Protocol.valueOf(matcher.group(4).toUpperCase(Locale.ROOT)));
        return ports.putIfAbsent(name, port) == null && taken.add(port);
    }

    private static String rule() {
        return "must be 'namespace/name:port/tcp 12345', each name and each port once";
    }

    private static String shown(String line) {
        String cut = line.length() <= 80 ? line : line.substring(0, 80) + "…";
        return cut.replaceAll("\\p{Cntrl}", "?");
    }
}
