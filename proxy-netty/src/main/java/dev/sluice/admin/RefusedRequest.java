package dev.sluice.admin;

import io.netty.handler.codec.http.HttpResponseStatus;

/**
 * A request that breaks a rule; its message names the thing, the value and the rule.
 *
 * <p>Immutable; any thread.
 */
final class RefusedRequest extends RuntimeException {
    private static final long serialVersionUID = 1;
    private static final int LONGEST_VALUE = 80;

    private final transient HttpResponseStatus status;

    RefusedRequest(HttpResponseStatus status, String message) {
        // No stack trace: it is a client's fault, and may come often.
        super(message, null, false, false);
        this.status = status;
    }

    static RefusedRequest badRequest(String message) {
        return new RefusedRequest(HttpResponseStatus.BAD_REQUEST, message);
    }

    /** A value from outside in quotes, shortened and without control characters. */
    static String quoted(String value) {
        String shown =
                value.length() <= LONGEST_VALUE ? value : value.substring(0, LONGEST_VALUE) + "…";
        return "'" + shown.replaceAll("\\p{Cntrl}", "?") + "'";
    }

    Reply reply() {
        return Reply.text(status, getMessage() + "\n");
    }
}
