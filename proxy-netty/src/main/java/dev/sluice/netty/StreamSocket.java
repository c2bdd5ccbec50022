package dev.sluice.netty;

import dev.sluice.model.FrontEnd;
import dev.sluice.model.IpAddress;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A non-blocking TCP socket of one event loop, with what is known about it: whether a read or a
 * write is worth trying, and whether it is dead.
 *
 * <p>Threads: made anywhere, used by its event loop only from {@link #register} on.
 */
abstract class StreamSocket {
    /** For {@link #interest}: tell when there is something to read. */
    static final int READ = 1;

    /** For {@link #interest}: tell when there is room to write. */
    static final int WRITE = 2;

    private final IpAddress peer;
    private final int peerPort;
    private Runnable onReady = () -> {};
    private boolean readable;
    private boolean writable;
    private boolean readToEnd;
    private boolean outputShut;
    private boolean failed;
    private boolean told;

    StreamSocket(IpAddress peer, int peerPort) {
        this.peer = peer;
        this.peerPort = peerPort;
    }

    /** The address of the peer. */
    final IpAddress peer() {
        return peer;
    }

    /** The port of the peer. */
    final int peerPort() {
        return peerPort;
    }

    /**
     * Whether the peer has answered; asked again at each event until it has. A peer that answered
     * and reset the connection at once has answered, too: {@link #failed} is then true.
     *
     * @throws IOException if it could not be reached, or refused
     */
    abstract boolean finishConnect() throws IOException;

    /** Registers with the event loop that calls. Events go to {@code onReady}. */
    abstract void register(ConnectionLoop loop) throws IOException;

    /**
     * The front end that the client asked for, if the kernel redirected it here; null otherwise.
     */
    abstract @Nullable FrontEnd originalDestination();

    /** Which events are wanted, {@link #READ} and {@link #WRITE}; others may come. */
    abstract void interest(int events);

    /**
     * What the kernel knows about the connection.
     *
     * @return null where it can't be asked
     */
    abstract @Nullable TcpInfo tcpInfo();

    abstract int receive(ByteBuffer into) throws IOException;

    abstract int send(ByteBuffer from) throws IOException;

    abstract void sendFin() throws IOException;

    /** Ends the connection in the orderly way: what was written is still sent. */
    abstract void close();

    /** Ends the connection with a RST at once: what was written but not acknowledged is dropped. */
    abstract void reset();

    /** Who is called when readiness may have changed. */
    final void onReady(Runnable callback) {
        onReady = callback;
    }

    /**
     * Notes an event and calls {@code onReady}.
     *
     * @param ending something may stand behind bytes that a read stops short at: the end of the
     *     stream, an error, urgent data
     */
    final void ready(boolean canRead, boolean canWrite, boolean ending, boolean dead) {
        readable |= canRead || ending || dead;
        writable |= canWrite || dead;
        readToEnd |= ending || dead;
        failed |= dead;
        onReady.run();
    }

    /** Whether a read may give something: bytes, the end of the stream, or an error. */
    final boolean readable() {
        return readable;
    }

    /** Whether a write may take something, or give an error. */
    final boolean writable() {
        return writable;
    }

    /** Whether the connection is dead (reset, timed out); bytes may still be there to read. */
    final boolean failed() {
        return failed;
    }

    /**
     * Whether the end that a read has found is the peer's FIN. A kernel that still has an error to
     * tell gives it to the read instead, unless a FIN came before it; one that has told it reports
     * an end in both cases.
     */
    final boolean endIsFin() {
        return !told;
    }

    final boolean outputShut() {
        return outputShut;
    }

    /** Notes that the connection is dead and that the kernel has told so. */
    final void failTold() {
        fail();
        told = true;
    }

    /** Declares the connection dead, from knowledge that did not come as an event. */
    final void fail() {
        failed = true;
        readable = true;
        readToEnd = true;
    }

    /**
     * Reads what is there.
     *
     * @return bytes read; 0 if there are none now; -1 at the end of the stream
     * @throws IOException if the connection is dead; {@link #failed} is then true
     */
    final int read(ByteBuffer into) throws IOException {
        int room = into.remaining();
        int read;
        try {
            read = receive(into);
        } catch (IOException e) {
            fail();
            readable = false;
            throw e;
        }
        // A short read has emptied the queue: the next byte brings a new event. Not so the end of
        // the stream, whose
        // event may have come together with the bytes.
        if (read <= 0 || (read < room && !readToEnd)) {
            readable = false;
        }
        return read;
    }

    /**
     * Writes as much as there is room for.
     *
     * @return bytes written, 0 or more
     * @throws IOException if the connection is dead; {@link #failed} is then true
     */
    final int write(ByteBuffer from) throws IOException {
        int wanted = from.remaining();
        try {
            int written = send(from);
            if (written < wanted) {
                writable = false;
            }
            return written;
        } catch (IOException e) {
            failTold();
            throw e;
        }
    }

    /**
     * Ends our stream after all that was written (FIN).
     *
     * @throws IOException if the connection is dead; {@link #failed} is then true
     */
    final void shutdownOutput() throws IOException {
        outputShut = true;
        try {
            sendFin();
        } catch (IOException e) {
            fail();
            throw e;
        }
    }
}
