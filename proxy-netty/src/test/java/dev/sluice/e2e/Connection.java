package dev.sluice.e2e;

import dev.sluice.peer.Content;
import dev.sluice.peer.Peer;
import dev.sluice.peer.Received;
import java.io.IOException;

/**
 * A connection that a client of a pod holds open.
 *
 * <p>Threads: the test's.
 */
final class Connection {
    private final Agent agent;
    private final String name;

    Connection(Agent agent, String name) {
        this.agent = agent;
        this.name = name;
    }

    /** The next {@code length} characters. */
    String receive(int length) throws IOException {
        String peer = name;
        return agent.call(kept -> kept.get(peer, Peer.class).receiveText(length));
    }

    /** What comes back for {@code text}, as many characters as it has. */
    String echo(String text) throws IOException {
        String peer = name;
        return agent.call(
                kept -> {
                    kept.get(peer, Peer.class).send(text);
                    return kept.get(peer, Peer.class).receiveText(text.length());
                });
    }

    /** How the input ends, with what still comes before. */
    Received receiveToEnd() throws IOException {
        String peer = name;
        return agent.call(kept -> kept.get(peer, Peer.class).receiveToEnd(Content.of(0)));
    }

    /** Sends FIN. */
    void finish() throws IOException {
        String peer = name;
        agent.call(
                kept -> {
                    kept.get(peer, Peer.class).finish();
                    return true;
                });
    }

    /** Sends RST. */
    void reset() throws IOException {
        String peer = name;
        agent.call(
                kept -> {
                    kept.get(peer, Peer.class).reset();
                    return true;
                });
    }
}
