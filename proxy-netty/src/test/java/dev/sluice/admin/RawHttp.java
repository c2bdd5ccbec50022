package dev.sluice.admin;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * A connection on which a test may send what no HTTP client would.
 *
 * <p>Threads: the test's.
 */
final class RawHttp implements AutoCloseable {
    private static final int PATIENCE_MILLIS = 10_000;

    private final Socket socket = new Socket();

    RawHttp(InetSocketAddress address) throws IOException {
        socket.setSoTimeout(PATIENCE_MILLIS);
        socket.connect(address, PATIENCE_MILLIS);
    }

    /** What comes back to these bytes until the server ends. */
    static String exchange(InetSocketAddress address, String bytes) throws IOException {
        try (RawHttp http = new RawHttp(address)) {
            http.send(bytes);
            return http.readToEnd();
        }
    }

    /**
     * A reply.
     *
     * @param headers by name in lower case
     */
    record Reply(int status, Map<String, String> headers, String body) {}

    /** An ordinary request on a connection of its own. */
    static Reply get(InetSocketAddress address, String path, String... headers) throws IOException {
        String more = headers.length == 0 ? "" : String.join("\r\n", headers) + "\r\n";
        String reply =
                exchange(
                        address,
                        "GET "
                                + path
                                + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                                + more
                                + "\r\n");
        int end = reply.indexOf("\r\n\r\n");
        String[] lines = reply.substring(0, end).split("\r\n", -1);
        Map<String, String> fields = new HashMap<>();
        for (int i = 1; i < lines.length; i++) {
            String[] field = lines[i].split(": ", 2);
            fields.put(field[0].toLowerCase(Locale.ROOT), field[1]);
        }
        byte[] body = reply.substring(end + 4).getBytes(ISO_8859_1);
        assertThat(fields).containsEntry("content-length", Integer.toString(body.length));
        return new Reply(
                Integer.parseInt(lines[0].split(" ", -1)[1]), fields, new String(body, UTF_8));
    }

    void send(String bytes) throws IOException {
        socket.getOutputStream().write(bytes.getBytes(ISO_8859_1));
    }

    String readToEnd() throws IOException {
        return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
    }

    /** Reads until this text has come. */
    String readUntil(String text) throws IOException {
        StringBuilder read = new StringBuilder();
        while (read.indexOf(text) < 0) {
            int next = socket.getInputStream().read();
            if (next < 0) {
                throw new IOException("ended after: " + read);
            }
            read.append((char) next);
        }
        return read.toString();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
