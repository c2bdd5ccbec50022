package dev.sluice.peer;

/**
 * How a reader's input stood when it stopped reading.
 *
 * <p>Immutable; any thread.
 */
public enum Ending {
    /** The other side sent FIN. */
    EOF,
    /** The other side sent RST: nothing says that the bytes before it are complete. */
    RESET,
    /** Neither: the reader had what it asked for, or nothing more came in time. */
    OPEN
}
