package dev.sluice.peer;

import java.io.Serializable;

/**
 * What a reader got, compared with the {@link Content} it expected.
 *
 * <p>Immutable; any thread.
 *
 * @param bytes number of bytes read
 * @param differsAt position of the first byte that is not the content's, or -1: all are
 * @param ending how the input stood after them
 */
public record Received(long bytes, long differsAt, Ending ending) implements Serializable {
    /** {@code bytes} bytes, each of them right, then {@code ending}. */
    public static Received intact(long bytes, Ending ending) {
        return new Received(bytes, -1, ending);
    }

    /** Whether every byte was the content's: a prefix of it without a gap, swap or repetition. */
    public boolean isPrefix() {
        return differsAt < 0;
    }
}
