package dev.sluice.kubernetes.transport;

import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.ConnectException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Failures of requests to the API server, in one line.
 *
 * <p>Threads: stateless; any thread.
 */
public final class ApiFailures {
    private ApiFailures() {}

    /** What the server said, or why nothing was heard from it. */
    public static String describe(Throwable failure) {
        if (failure instanceof KubernetesClientException refused
                && refused.getStatus() != null
                && refused.getStatus().getMessage() != null) {
            return oneLine(refused.getStatus().getMessage());
        }
        Throwable root = rootOf(failure);
        if (root instanceof HttpConnectTimeoutException) {
            return "no connection within the time limit";
        }
        if (root instanceof HttpTimeoutException) {
            return "no answer within the time limit";
        }
        @Nullable String message = root.getMessage();
        if (root instanceof java.nio.channels.ClosedChannelException
                || (root instanceof ConnectException && message == null)) {
            // The JDK's client loses the text of the system on its way.
            return "the connection is refused or not possible";
        }
        return message == null ? root.getClass().getSimpleName() : oneLine(message);
    }

    /** The HTTP status, 100 to 599; 0 if there was no answer. */
    public static int status(Throwable failure) {
        for (@Nullable Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof KubernetesClientException refused && refused.getCode() > 0) {
                return refused.getCode();
            }
        }
        return 0;
    }

    private static Throwable rootOf(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null && root.getCause() != root) {
            root = root.getCause();
        }
        return root;
    }

    private static String oneLine(String text) {
        return text.strip().replaceAll("\\s*\\R\\s*", " ");
    }
}
