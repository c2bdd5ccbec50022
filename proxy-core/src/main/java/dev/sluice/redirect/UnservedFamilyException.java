package dev.sluice.redirect;

import java.io.Serial;

/**
 * All rules are in force but those of a family that this node has no means for, which never are:
 * none of them leads anywhere, now or later.
 */
public final class UnservedFamilyException extends RedirectException {
    @Serial private static final long serialVersionUID = 1L;

    public UnservedFamilyException(String message) {
        super(message);
    }
}
