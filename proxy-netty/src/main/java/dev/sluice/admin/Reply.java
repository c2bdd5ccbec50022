package dev.sluice.admin;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * What is sent back.
 *
 * <p>Immutable, the body by convention; any thread.
 *
 * @param contentType value of {@code Content-Type}
 * @param headers others by their names
 */
@SuppressWarnings("ArrayRecordComponent") // Megabytes that nobody compares or copies.
record Reply(
        HttpResponseStatus status, String contentType, Map<String, String> headers, byte[] body) {
    /** Without other headers. */
    Reply(HttpResponseStatus status, String contentType, byte[] body) {
        this(status, contentType, Map.of(), body);
    }

    /**
     * Named by {@code Content-Type} as kube-proxy names it, in ASCII.
     *
     * @param headers others by their names
     */
    static Reply json(HttpResponseStatus status, Map<String, String> headers, String text) {
        return new Reply(status, "application/json", headers, text.getBytes(US_ASCII));
    }

    /** Text for people, whatever object names it may hold: the charset is named. */
    static Reply text(HttpResponseStatus status, String text) {
        return new Reply(status, "text/plain; charset=utf-8", text.getBytes(UTF_8));
    }

    static Reply text(String text) {
        return text(HttpResponseStatus.OK, text);
    }

    /** This one at once. */
    CompletionStage<Reply> now() {
        return CompletableFuture.completedFuture(this);
    }
}
