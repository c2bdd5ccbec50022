package dev.sluice.kubernetes;

/** A document or an object of a manifest that cannot be read; the message is for people. */
final class ManifestException extends Exception {
    private static final long serialVersionUID = 1;

    private final String field;
    private final String value;

    ManifestException(String rule) {
        this("", "", rule);
    }

    ManifestException(String field, String value, String rule) {
        super(rule);
        this.field = field;
        this.value = value;
    }

    /** As the API names it; empty when the whole is meant. */
    String field() {
        return field;
    }

    /** What was found; empty when there is none. */
    String value() {
        return value;
    }

    String rule() {
        return String.valueOf(getMessage());
    }
}
