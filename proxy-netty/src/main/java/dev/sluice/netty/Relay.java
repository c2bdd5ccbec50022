package dev.sluice.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One direction of a connection: bytes from one socket to the other, then the end of the stream.
 *
 * <p>What was read is written at once. Only what the sink refuses is kept, and nothing more is read
 * until it is gone: a slow reader slows its sender, and costs at most one read of memory.
 *
 * <p>Threads: the connection's event loop only.
 */
final class Relay {
    /** After so many bytes the other connections of the loop have their turn. */
    private static final int TURN_BYTES = 512 * 1024;

    /** Most bytes that are kept for a sink which is not connected yet. */
    private static final int EARLY_BYTES = 64 * 1024;

    private enum State {
        /** Bytes may still come. */
        FLOWING,
        /** The source has ended its stream; its last bytes may still be kept here. */
        ENDED,
        /** The source is dead; its last bytes may still be kept here. */
        SOURCE_DEAD,
        /** All bytes and the end of the stream were handed to the sink. */
        FINISHED,
        /** Nothing is moved any more: the sink is dead, or nobody wants the bytes. */
        ABANDONED
    }

    private final ConnectionLoop loop;
    private final StreamSocket from;
    private @Nullable StreamSocket to;
    private State state = State.FLOWING;
    private @Nullable ByteBuf backlog;
    private long bytes;
    private long asked;
    private long lastMoved = System.nanoTime();

    Relay(ConnectionLoop loop, StreamSocket from, @Nullable StreamSocket to) {
        this.loop = loop;
        this.from = from;
        this.to = to;
    }

    /** Gives the relay its sink; what was kept for it goes first. */
    void connect(StreamSocket sink) {
        to = sink;
    }

    /** Moves bytes until the source is empty, the sink is full, or the turn is over. */
    void pump() {
        StreamSocket sink = to;
        if (sink == null) {
            keepEarly();
            return;
        }
        try {
            if (backlog != null && !drain(backlog, sink)) {
                return;
            }
            move(sink);
            if (state == State.ENDED && backlog == null) {
                state = State.FINISHED;
                sink.shutdownOutput();
            }
        } catch (IOException e) {
            // The source's errors end in SOURCE_DEAD: this one is the sink's, and the sink knows.
            abandon();
        }
    }

    private void move(StreamSocket sink) throws IOException {
        ByteBuffer buffer = loop.scratch();
        int budget = TURN_BYTES;
        while (state == State.FLOWING && from.readable() && budget > 0) {
            int read = read(buffer.clear());
            if (read <= 0) {
                return;
            }
            budget -= read;
            buffer.flip();
            sink.write(buffer);
            if (buffer.hasRemaining()) {
                keep(buffer);
                return;
            }
        }
    }

    private void keepEarly() {
        if (state == State.FLOWING && from.readable() && backlog == null) {
            ByteBuffer buffer = loop.scratch().limit(EARLY_BYTES);
            if (read(buffer) > 0) {
                keep(buffer.flip());
            }
        }
    }

    private int read(ByteBuffer buffer) {
        try {
            int read = from.read(buffer);
            if (read > 0) {
                bytes += read;
                lastMoved = System.nanoTime();
            } else if (read < 0) {
                state = from.endIsFin() ? State.ENDED : State.SOURCE_DEAD;
            }
            return read;
        } catch (IOException e) {
            state = State.SOURCE_DEAD;
            return 0;
        }
    }

    private void keep(ByteBuffer rest) {
        backlog = ByteBufAllocator.DEFAULT.directBuffer(rest.remaining()).writeBytes(rest);
    }

    private boolean drain(ByteBuf kept, StreamSocket sink) throws IOException {
        if (sink.writable()) {
            int written = sink.write(kept.nioBuffer());
            if (written > 0) {
                kept.skipBytes(written);
                lastMoved = System.nanoTime();
            }
        }
        if (kept.isReadable()) {
            return false;
        }
        dropBacklog();
        return true;
    }

    /** Ends the direction without a word to the sink. */
    void abandon() {
        state = State.ABANDONED;
        dropBacklog();
    }

    private void dropBacklog() {
        if (backlog != null) {
            backlog.release();
            backlog = null;
        }
    }

    /** Whether the end of the stream was passed on, or the direction was given up. */
    boolean isOver() {
        return state == State.FINISHED || state == State.ABANDONED;
    }

    /** Whether the end of the stream was passed on. */
    boolean isFinished() {
        return state == State.FINISHED;
    }

    /** Whether all that the source will ever give was handed to the sink. */
    boolean isDrained() {
        return backlog == null && state != State.FLOWING;
    }

    /** Whether bytes wait for room in the sink. */
    boolean isBlocked() {
        return backlog != null;
    }

    /** Whether reading is wanted. */
    boolean wantsInput() {
        return state == State.FLOWING && backlog == null;
    }

    /** Whether another turn would move something now. */
    boolean hasWork() {
        return to != null
                && (backlog == null ? state == State.FLOWING && from.readable() : to.writable());
    }

    /** Bytes read from the source so far. */
    long bytes() {
        return bytes;
    }

    /** Bytes read from the source since this was last asked for. */
    long newBytes() {
        long before = asked;
        asked = bytes;
        return bytes - before;
    }

    /** When bytes last moved, as {@link System#nanoTime}. */
    long lastMoved() {
        return lastMoved;
    }
}
