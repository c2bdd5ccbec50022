package dev.sluice.netty;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * The questions of one event loop that are kept to be asked again, in bounded memory: a flood of
 * them is sent on like any other, and what finds no room here is asked once.
 *
 * <p>Threads: its event loop only.
 */
final class UdpQuestions {
    static final int MOST_BYTES = 4 * 1024 * 1024;

    /** Longest question that is kept, in bytes, so that a few long ones don't take all the room. */
    static final int LONGEST = 4096;

    private int bytes;

    /**
     * A copy of a question, to be given to {@link #forget}; null if it is too long, or there is no
     * room for it.
     */
    @Nullable ByteBuf keep(ByteBuf question) {
        int size = question.readableBytes();
        if (size > LONGEST || size > MOST_BYTES - bytes) {
            return null;
        }
        ByteBuf copy = question.copy();
        bytes += size;
        return copy;
    }

    /** Lets go of a copy, which nobody has read from. */
    void forget(ByteBuf question) {
        bytes -= question.readableBytes();
        question.release();
    }
}
