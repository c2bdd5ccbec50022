package dev.sluice.model;

/**
 * A text that is not an IP address.
 *
 * <p>Immutable; any thread.
 */
public final class MalformedAddressException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    private final String rule;

    MalformedAddressException(String text, String rule) {
        super("'" + text + "' is not an IP address: " + rule);
        this.rule = rule;
    }

    /** The rule that the text breaks, without the text. */
    public String rule() {
        return rule;
    }
}
