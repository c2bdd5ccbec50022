package dev.sluice.redirect;

import java.io.Serial;

/**
 * The kernel's rules could not be read or written; the message names the command and what it said.
 */
public sealed class RedirectException extends Exception permits UnservedFamilyException {
    @Serial private static final long serialVersionUID = 1L;

    public RedirectException(String message) {
        super(message);
    }

    public RedirectException(String message, Throwable cause) {
        super(message, cause);
    }
}
