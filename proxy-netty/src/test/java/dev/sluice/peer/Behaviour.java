package dev.sluice.peer;

import java.io.IOException;
import java.time.Duration;

/**
 * What a backend does with a connection it has accepted; the connection is closed afterwards.
 *
 * <p>Threads: one call per connection, each on its own thread.
 */
@FunctionalInterface
public interface Behaviour {
    /** Serves one connection; an {@link IOException} ends it, as the death of its peer would. */
    void serve(Peer connection) throws IOException, InterruptedException;

    /** Sends back what comes, then FIN after FIN. */
    static Behaviour echo() {
        return Peer::echo;
    }

    /** Sends a name and closes. */
    static Behaviour id(String name) {
        return connection -> {
            connection.send(name);
            connection.finish();
            connection.receiveToEnd(Content.of(0));
        };
    }

    /** Speaks first, then sends back what comes. */
    static Behaviour banner(String text) {
        return connection -> {
            connection.send(text);
            connection.echo();
        };
    }

    /** Reads to the end, waits, and only then answers with {@code bytes} bytes. */
    static Behaviour answerAfterEnd(Duration pause, Content answer, long bytes) {
        return connection -> {
            connection.receiveToEnd(Content.of(0));
            Thread.sleep(pause.toMillis());
            connection.send(answer, bytes);
        };
    }

    /** Sends {@code bytes} bytes and closes at once, without a look at its input. */
    static Behaviour sendAndClose(Content content, long bytes) {
        return connection -> connection.send(content, bytes);
    }

    /** Resets what it accepts. */
    static Behaviour resetOnAccept() {
        return Peer::reset;
    }

    /** Closes what it accepts. */
    static Behaviour closeOnAccept() {
        return connection -> {};
    }
}
