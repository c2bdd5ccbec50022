package dev.sluice.config;

import java.io.Serial;

/**
 * A setting that can not be used. The message is one line: the key, its value, the rule that it
 * breaks, and where the value came from (file and line, environment variable, flag).
 */
public final class InvalidConfigException extends RuntimeException {
    @Serial private static final long serialVersionUID = 1L;

    public InvalidConfigException(String message) {
        super(oneLine(message));
    }

    public InvalidConfigException(String message, Throwable cause) {
        super(oneLine(message), cause);
    }

    private static String oneLine(String message) {
        return message.strip().replaceAll("\\s*\\R\\s*", "; ").replaceAll("\\p{Cntrl}", "?");
    }
}
