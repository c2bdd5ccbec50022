package dev.sluice.e2e;

import dev.sluice.peer.Content;
import dev.sluice.peer.Peer;
import dev.sluice.peer.Received;
import java.io.IOException;
import java.io.Serializable;

/**
 * A connection that a client of a pod holds open.
 *
 * <p>Threads: the test's.
 */
public final class Connection {
    private final Agent agent;
    private final String name;

    /**
     * @param name of the {@link Peer} among what the pod keeps
     */
    Connection(Agent agent, String name) {
        this.agent = agent;
        this.name = name;
    }

    /** The next {@code length} characters. */
    public String receive(int length) throws IOException {
        return call(peer -> peer.receiveText(length));
    }

    /** What comes back for {@code text}, as many characters as it has. */
    public String echo(String text) throws IOException {
        return call(
                peer -> {
                    peer.send(text);
                    return peer.receiveText(text.length());
                });
    }

    /** What still comes, and how the input ends. */
    public Received receiveToEnd() throws IOException {
        return call(peer -> peer.receiveToEnd(Content.of(0)));
    }

    /** Sends FIN. */
    public void finish() throws IOException {
        call(
                peer -> {
                    peer.finish();
                    return true;
                });
    }

    /** Sends RST. */
    public void reset() throws IOException {
        call(
                peer -> {
                    peer.reset();
                    return true;
                });
    }

    /** Done with the peer, where it is. */
    private interface Action<T> extends Serializable {
        T on(Peer peer) throws IOException;
    }

    private <T> T call(Action<T> action) throws IOException {
        // A field would take this object along, which can't travel.
        String peer = name;
        return agent.call(kept -> action.on(kept.get(peer, Peer.class)));
    }
}
