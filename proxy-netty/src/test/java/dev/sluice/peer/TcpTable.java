package dev.sluice.peer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The kernel's own view of the TCP sockets of this network namespace, from {@code /proc/net/tcp}
 * and {@code tcp6} (proc(5)).
 *
 * <p>Stateless; any thread.
 */
public final class TcpTable {
    private static final List<Path> TABLES =
            List.of(Path.of("/proc/net/tcp"), Path.of("/proc/net/tcp6"));
    private static final String SYN_SENT = "02";

    private TcpTable() {}

    /** Whether this kernel has such a table: Linux only. */
    public static boolean isReadable() {
        return Files.isReadable(TABLES.get(0));
    }

    /** Number of sockets that wait for an answer to their connect to a port of this machine. */
    public static long connectingTo(int port) throws IOException {
        String remote = hex(port);
        return rows().filter(row -> row[2].endsWith(remote) && SYN_SENT.equals(row[3])).count();
    }

    /** Remote ports of all sockets that wait for an answer to their connect. */
    public static Set<Integer> portsBeingConnectedTo() throws IOException {
        return rows().filter(row -> SYN_SENT.equals(row[3]))
                .map(row -> Integer.parseInt(row[2].substring(row[2].indexOf(':') + 1), 16))
                .collect(Collectors.toSet());
    }

    /** Bytes that the socket with these ports has sent and the other side not acknowledged. */
    static long unacknowledged(int localPort, int remotePort) throws IOException {
        String local = hex(localPort);
        String remote = hex(remotePort);
        return rows().filter(row -> row[1].endsWith(local) && row[2].endsWith(remote))
                .mapToLong(row -> Long.parseLong(row[4].substring(0, row[4].indexOf(':')), 16))
                .sum();
    }

    /* Columns: number, local address, remote address, state, send queue:receive queue. */
    private static Stream<String[]> rows() throws IOException {
        Stream.Builder<String[]> rows = Stream.builder();
        for (Path table : TABLES) {
            if (Files.isReadable(table)) {
                Files.readAllLines(table).stream()
                        .skip(1)
                        .map(line -> line.strip().split("\\s+", 6))
                        .forEach(rows);
            }
        }
        return rows.build();
    }

    private static String hex(int port) {
        return String.format(":%04X", port);
    }
}
