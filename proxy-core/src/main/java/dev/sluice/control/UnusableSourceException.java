package dev.sluice.control;

import java.io.Serial;

/**
 * A source turns out to be one that this proxy must not follow. Nothing of it is applied, and a
 * start ends with the message, which says in one line what to change.
 */
public final class UnusableSourceException extends RuntimeException {
    @Serial private static final long serialVersionUID = 1L;

    public UnusableSourceException(String message) {
        super(message);
    }
}
