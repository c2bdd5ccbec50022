package dev.sluice.peer;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * One end of a TCP connection.
 *
 * <p>Threads: one reader and one writer at a time; {@link #close} and {@link #reset} from any
 * thread, which ends what the others do with an {@link IOException}.
 */
public final class Peer implements Closeable {
    /** Limit of a connect and of the wait for the next byte. */
    public static final Duration PATIENCE = Duration.ofSeconds(10);

    private final SocketChannel channel;
    private final byte[] buffer = new byte[64 * 1024];

    Peer(SocketChannel channel) throws IOException {
        this(channel, PATIENCE);
    }

    private Peer(SocketChannel channel, Duration patience) throws IOException {
        this.channel = channel;
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.socket().setSoTimeout((int) patience.toMillis());
    }

    /**
     * A new connection.
     *
     * @throws java.net.ConnectException when it is refused
     * @throws SocketTimeoutException when no answer came in time
     */
    public static Peer connect(InetSocketAddress address) throws IOException {
        return connect(address, PATIENCE);
    }

    /** The same for one who waits so long, at a connect and at a read. */
    public static Peer connect(InetSocketAddress address, Duration patience) throws IOException {
        return connect(SocketChannel.open(), address, patience);
    }

    /** A new connection whose kernel keeps about {@code bytes} unread bytes, and not more. */
    public static Peer connectWithReceiveBuffer(InetSocketAddress address, int bytes)
            throws IOException {
        SocketChannel channel = SocketChannel.open();
        channel.setOption(StandardSocketOptions.SO_RCVBUF, bytes);
        return connect(channel, address, PATIENCE);
    }

    private static Peer connect(SocketChannel channel, InetSocketAddress address, Duration patience)
            throws IOException {
        try {
            channel.socket().connect(address, (int) patience.toMillis());
            return new Peer(channel, patience);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    /**
     * Connects, sends nothing and reads to the end. A reset that comes before the connect has
     * returned is a reset like any other.
     *
     * @throws java.net.ConnectException when the connect is refused
     */
    public static Received fetch(InetSocketAddress address, Content content) throws IOException {
        try (Peer peer = connect(address)) {
            return peer.receiveToEnd(content);
        } catch (SocketException e) {
            if (isReset(e)) {
                return Received.intact(0, Ending.RESET);
            }
            throw e;
        }
    }

    /** Who the other side seems to be. */
    public InetAddress remoteAddress() {
        return channel.socket().getInetAddress();
    }

    /** Sends {@code bytes} bytes of {@code content} from position {@code from}. */
    public void send(Content content, long from, long bytes) throws IOException {
        long end = from + bytes;
        for (long at = from; at < end; ) {
            at += channel.write(content.slice(at, (int) Math.min(Content.CHUNK, end - at)));
        }
    }

    /** Sends the first {@code bytes} bytes of {@code content}. */
    public void send(Content content, long bytes) throws IOException {
        send(content, 0, bytes);
    }

    /** Sends {@code text}, which is ASCII. */
    public void send(String text) throws IOException {
        ByteBuffer bytes = StandardCharsets.US_ASCII.encode(text);
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    /**
     * Reads until {@code bytes} bytes came, the input ended or nothing came in time, and compares
     * them with {@code content} from position {@code from}.
     */
    public Received receive(Content content, long from, long bytes) throws IOException {
        long got = 0;
        long differsAt = -1;
        while (got < bytes) {
            int n;
            try {
                n = read((int) Math.min(buffer.length, bytes - got));
            } catch (SocketTimeoutException e) {
                break;
            } catch (SocketException e) {
                if (!isReset(e)) {
                    throw e;
                }
                return new Received(got, differsAt, Ending.RESET);
            }
            if (n < 0) {
                return new Received(got, differsAt, Ending.EOF);
            }
            int mismatch = content.mismatch(from + got, buffer, n);
            if (mismatch >= 0 && differsAt < 0) {
                differsAt = got + mismatch;
            }
            got += n;
        }
        return new Received(got, differsAt, Ending.OPEN);
    }

    /** Reads until the input ended or nothing came in time. */
    public Received receiveToEnd(Content content) throws IOException {
        return receive(content, 0, Long.MAX_VALUE);
    }

    /**
     * Reads {@code length} characters of ASCII.
     *
     * @throws EOFException when the input ended before
     */
    public String receiveText(int length) throws IOException {
        StringBuilder text = new StringBuilder();
        while (text.length() < length) {
            int n = read(Math.min(buffer.length, length - text.length()));
            if (n < 0) {
                throw new EOFException("end of input after \"" + text + "\"");
            }
            text.append(new String(buffer, 0, n, StandardCharsets.US_ASCII));
        }
        return text.toString();
    }

    /** Reads and sends back until the input ended; the number of bytes. */
    long echo() throws IOException {
        long bytes = 0;
        for (int n = read(buffer.length); n >= 0; n = read(buffer.length)) {
            ByteBuffer echo = ByteBuffer.wrap(buffer, 0, n);
            while (echo.hasRemaining()) {
                channel.write(echo);
            }
            bytes += n;
        }
        return bytes;
    }

    private int read(int most) throws IOException {
        return channel.socket().getInputStream().read(buffer, 0, most);
    }

    private static boolean isReset(SocketException e) {
        // Followed by "by peer" where the kernel's own text is passed on.
        String message = e.getMessage();
        return message != null && message.startsWith("Connection reset");
    }

    /** Sends FIN after all bytes: no more output, input goes on. */
    public void finish() throws IOException {
        channel.shutdownOutput();
    }

    /** Sends RST at once; bytes that are still in this side's send buffer are lost. */
    public void reset() throws IOException {
        channel.setOption(StandardSocketOptions.SO_LINGER, 0);
        channel.close();
    }

    /** Keeps at most about {@code bytes} unacknowledged bytes. */
    void limitSendBuffer(int bytes) throws IOException {
        channel.setOption(StandardSocketOptions.SO_SNDBUF, bytes);
    }

    /** Waits until the other side's kernel has acknowledged every byte; Linux only. */
    public void awaitAcknowledged() throws IOException, InterruptedException {
        InetSocketAddress local = (InetSocketAddress) channel.getLocalAddress();
        InetSocketAddress remote = (InetSocketAddress) channel.getRemoteAddress();
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (TcpTable.unacknowledged(local.getPort(), remote.getPort()) > 0) {
            if (System.nanoTime() > end) {
                throw new SocketTimeoutException("bytes unacknowledged after " + PATIENCE);
            }
            Thread.sleep(1);
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
