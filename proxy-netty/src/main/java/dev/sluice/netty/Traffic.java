package dev.sluice.netty;

import dev.sluice.model.ServicePortName;
import dev.sluice.stats.DurationHistogram;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/**
 * What listeners and connections do now, for whoever wants to see it. An event loop that is asked
 * answers on its next turn; its connections wait meanwhile, some milliseconds where there are tens
 * of thousands of them.
 *
 * <p>Threads: any; nothing blocks.
 */
public final class Traffic {
    private static final Comparator<ConnectionStatus> OLDEST_FIRST =
            Comparator.comparing(ConnectionStatus::age).reversed();

    private final ConnectionLoops loops;
    private final UdpListeners udp;
    private final Collection<ServiceListener> listeners;
    private final ServicePortCounters counters;
    private final ConnectionLimit limit;

    /**
     * @param listeners a view of those that are open, safe for any thread
     */
    Traffic(
            ConnectionLoops loops,
            UdpListeners udp,
            Collection<ServiceListener> listeners,
            ServicePortCounters counters,
            ConnectionLimit limit) {
        this.loops = loops;
        this.udp = udp;
        this.listeners = listeners;
        this.counters = counters;
        this.limit = limit;
    }

    /** The Service ports that have a listener, in the order of their names. */
    public List<ServedPort> servedPorts() {
        return listeners.stream()
                .sorted(Comparator.comparing(listener -> listener.servicePort().name()))
                .map(this::servedPort)
                .toList();
    }

    private ServedPort servedPort(ServiceListener listener) {
        ConnectionCounters own = listener.counters();
        return new ServedPort(
                listener.servicePort(),
                listener.address(),
                listener.nodePorts(),
                listener.isAccepting(),
                own,
                counters.hasPlace(own));
    }

    /** The counters of all connections since the start. */
    public ConnectionCounters total() {
        return counters.total();
    }

    /** The counters of all Service ports without a place of their own in metrics. */
    public ConnectionCounters others() {
        return counters.others();
    }

    /** Most connections at once. */
    public int maxConnections() {
        return limit.max();
    }

    /** How long endpoints took to answer a dial; those that did not are not in it. */
    public DurationHistogram.Snapshot dialTimes() {
        return loops.dialTimes().snapshot();
    }

    /**
     * Adds the bytes of live connections and UDP sessions to the counters.
     *
     * @return completes when every event loop has done so, on one of them
     */
    public CompletableFuture<?> countBytes() {
        return loops.askAll(
                loop -> {
                    loop.countBytes();
                    udp.sessions(loop).countBytes();
                    return true;
                });
    }

    /**
     * The live connections and UDP sessions of some Service ports.
     *
     * @param limitOfSample most connections in the answer, 0 or more
     * @return completes when every event loop has answered, on one of them
     */
    public CompletableFuture<ConnectionStatus.Sample> connections(
            Predicate<ServicePortName> wanted, int limitOfSample) {
        // One time for all loops, so that ages can be compared.
        long now = System.nanoTime();
        return loops.askAll(
                        loop ->
                                merged(
                                        List.of(
                                                loop.connections(wanted, limitOfSample, now),
                                                udp.sessions(loop).status(wanted, limitOfSample)),
                                        limitOfSample))
                .thenApply(shares -> merged(shares, limitOfSample));
    }

    private static ConnectionStatus.Sample merged(
            List<ConnectionStatus.Sample> shares, int limitOfSample) {
        return new ConnectionStatus.Sample(
                shares.stream()
                        .flatMap(share -> share.oldest().stream())
                        .sorted(OLDEST_FIRST)
                        .limit(limitOfSample)
                        .toList(),
                shares.stream().mapToLong(ConnectionStatus.Sample::total).sum());
    }

    /** Number of event loops. */
    public int eventLoops() {
        return loops.size();
    }

    /**
     * Completes when an event loop takes a turn; fails if it has ended.
     *
     * @param index 0 or more, less than {@link #eventLoops}
     */
    public CompletableFuture<?> nextTurn(int index) {
        return loops.ask(index, loop -> true);
    }
}
