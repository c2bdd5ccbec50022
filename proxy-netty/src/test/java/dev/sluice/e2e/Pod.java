package dev.sluice.e2e;

import dev.sluice.peer.Backend;
import dev.sluice.peer.Content;
import dev.sluice.peer.Peer;
import dev.sluice.peer.Received;
import dev.sluice.redirect.Namespace;
import dev.sluice.redirect.RedirectException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;

/**
 * A network namespace with a process in it that connects and serves, as client and as backend. The
 * node itself is one.
 *
 * <p>Threads: the test's.
 */
public final class Pod implements AutoCloseable {
    /** Where a pod serves, on all its addresses. */
    public static final int PORT = 8080;

    private static final String BACKEND = "backend";

    private final Namespace namespace;
    private final Agent agent;
    private final String ipv4;
    private final String ipv6;
    private int connections;

    /** Starts the process inside; the addresses are there already. */
    public Pod(Namespace namespace, String ipv4, String ipv6) throws IOException {
        this.namespace = namespace;
        this.agent = Agent.start(namespace);
        this.ipv4 = ipv4;
        this.ipv6 = ipv6;
    }

    public Namespace namespace() {
        return namespace;
    }

    public String ipv4() {
        return ipv4;
    }

    public String ipv6() {
        return ipv6;
    }

    /** Runs a task in the pod's process. */
    public <T> T call(Task<T> task) throws IOException {
        return agent.call(task);
    }

    /** What one client is told; see {@link Clients}. */
    public String ask(InetSocketAddress service) throws IOException {
        return agent.call(kept -> Clients.ask(service));
    }

    /** The same for a client that soon gives up. */
    String askBriefly(InetSocketAddress service) throws IOException {
        return agent.call(kept -> Clients.ask(service, Clients.BRIEF));
    }

    /** The status and the body at a URL, or {@code refused}. */
    String get(String url) throws IOException {
        return agent.call(kept -> Clients.get(url));
    }

    /** How many of so many clients, one after another, were told what. */
    public Map<String, Integer> ask(InetSocketAddress service, int times) throws IOException {
        return agent.call(kept -> Clients.ask(service, times));
    }

    /** What clients that come one after another are told. */
    public List<Clients.Answer> askInTurn(InetSocketAddress service, int clients)
            throws IOException {
        return agent.call(kept -> Clients.askInTurn(service, clients));
    }

    /** The same for clients that come all at the same moment. */
    public List<Clients.Answer> askAtOnce(InetSocketAddress service, int clients)
            throws IOException {
        return agent.call(kept -> Clients.askAtOnce(service, clients));
    }

    /** Connects, sends {@code bytes} bytes and FIN, and reads to the end. */
    public Received exchange(InetSocketAddress service, long bytes) throws IOException {
        return agent.call(
                kept -> {
                    try (Peer peer = Peer.connect(service)) {
                        peer.send(Content.of(0), bytes);
                        peer.finish();
                        return peer.receiveToEnd(Content.of(0));
                    }
                });
    }

    /** Connects, sends nothing and reads to the end. */
    public Received fetch(InetSocketAddress service) throws IOException {
        return agent.call(kept -> Peer.fetch(service, Content.of(0)));
    }

    /** A connection that stays open until the end of the test. */
    public Connection connect(InetSocketAddress service) throws IOException {
        String name = "connection " + ++connections;
        agent.call(
                kept -> {
                    kept.put(name, Peer.connect(service));
                    return true;
                });
        return new Connection(agent, name);
    }

    /** Serves in place of what was served before, if anything was. */
    public void serve(BehaviourSource behaviour) throws IOException {
        agent.call(
                kept -> {
                    kept.close(BACKEND);
                    kept.put(
                            BACKEND,
                            Backend.start(new InetSocketAddress(PORT), behaviour.create()));
                    return true;
                });
    }

    /** Connects to this pod are refused from now on, and what it served is closed. */
    public void stopServing() throws IOException {
        agent.call(
                kept -> {
                    kept.close(BACKEND);
                    return true;
                });
    }

    /** Connects to this pod get no answer from now on. */
    public void dropConnects() throws RedirectException {
        for (String program : List.of("iptables-nft", "ip6tables-nft")) {
            namespace.run(program, "-A", "INPUT", "-p", "tcp", "--dport", "" + PORT, "-j", "DROP");
        }
    }

    /** Number of connections since it serves what it serves. */
    public int accepted() throws IOException {
        return agent.call(kept -> kept.get(BACKEND, Backend.class).accepted());
    }

    /** Number of connections that it serves now. */
    public int openConnections() throws IOException {
        return agent.call(kept -> kept.get(BACKEND, Backend.class).openConnections());
    }

    /** Closes all its connections and what it serves. */
    public void closeAll() throws IOException {
        agent.call(
                kept -> {
                    kept.closeAll();
                    return true;
                });
    }

    @Override
    public String toString() {
        return namespace.name();
    }

    @Override
    public void close() throws IOException {
        agent.close();
    }
}
