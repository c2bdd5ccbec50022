package dev.sluice.peer;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;

/**
 * An endless sequence of bytes that a sender sends and a reader compares with, byte for byte at its
 * position: unlike a hash, a comparison names the first byte that is lost, moved or repeated. Flows
 * with different numbers have different content, so bytes of one flow in another one are seen, too.
 *
 * <p>Immutable; any thread.
 */
public final class Content {
    /** Most bytes of one {@link #slice}. */
    static final int CHUNK = 256 * 1024;

    /* Prime, so that no power-of-two shift of the stream looks like the stream. */
    private static final int PERIOD = 1_048_573;

    private static final byte[] BYTES = bytes();
    private static final ByteBuffer BUFFER =
            ByteBuffer.allocateDirect(BYTES.length).put(BYTES).flip().asReadOnlyBuffer();

    private final int start;

    private Content(int start) {
        this.start = start;
    }

    /** The content of the flow with this number. */
    public static Content of(int flow) {
        return new Content(Math.floorMod(flow * 7919, PERIOD));
    }

    /** The {@code length} bytes (at most {@value #CHUNK}) at {@code position}. */
    ByteBuffer slice(long position, int length) {
        return BUFFER.slice(index(position), length);
    }

    /** Index of the first of {@code length} bytes that differs from this content, or -1. */
    int mismatch(long position, byte[] actual, int length) {
        int from = index(position);
        return Arrays.mismatch(actual, 0, length, BYTES, from, from + length);
    }

    private int index(long position) {
        return (int) ((start + position) % PERIOD);
    }

    private static byte[] bytes() {
        byte[] bytes = new byte[PERIOD + CHUNK];
        new Random(PERIOD).nextBytes(bytes);
        System.arraycopy(bytes, 0, bytes, PERIOD, CHUNK);
        return bytes;
    }
}
