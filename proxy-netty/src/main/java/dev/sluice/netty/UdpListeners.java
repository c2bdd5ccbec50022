package dev.sluice.netty;

import dev.sluice.balance.BackendSelectorFactory;
import dev.sluice.config.ProxyConfig;
import dev.sluice.model.IpAddress;
import dev.sluice.model.IpFamily;
import dev.sluice.model.LocalSources;
import dev.sluice.redirect.NodeAddresses;
import dev.sluice.state.ListenerPorts;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the UDP listeners of a proxy share.
 *
 * <p>Threads: control thread only, but for the sessions, which belong to their event loops.
 */
final class UdpListeners {
    private static final Logger log = LoggerFactory.getLogger(UdpListeners.class);

    private final ProxyConfig config;
    private final ListenerPorts ports;
    private final BackendSelectorFactory selectors;
    private final DialGuard guard;
    private final boolean redirected;
    private final List<UdpLoop> loops = new ArrayList<>();
    private final AtomicInteger next = new AtomicInteger();
    private List<IpAddress> node = List.of();

    /**
     * @param redirected whether clients come by redirect rules
     * @param places which clients are on this node now; asked by event loops
     * @param nanoTime a monotonic clock
     */
    UdpListeners(
            ProxyConfig config,
            ConnectionLoops connectionLoops,
            ListenerPorts ports,
            BackendSelectorFactory selectors,
            DialGuard guard,
            ConnectionLimit limit,
            boolean redirected,
            Supplier<LocalSources> places,
            LongSupplier nanoTime) {
        this.config = config;
        this.ports = ports;
        this.selectors = selectors;
        this.guard = guard;
        this.redirected = redirected;
        int most = limit.maxSessions(config.udp().maxSessions());
        int share = Math.max(1, most / connectionLoops.size());
        for (ConnectionLoop loop : connectionLoops.all()) {
            UdpSessions sessions =
                    new UdpSessions(
                            loop.eventLoop(),
                            loop.transport(),
                            config.udp(),
                            share,
                            config.dial().tryTimeouts().size(),
                            limit,
                            guard,
                            places,
                            nanoTime);
            sessions.start();
            loops.add(new UdpLoop(loop, sessions));
        }
    }

    UdpLoop nextLoop() {
        return loops.get(Math.floorMod(next.getAndIncrement(), loops.size()));
    }

    /** The sessions of a loop. Any thread; they are for the loop only. */
    UdpSessions sessions(ConnectionLoop of) {
        return loops.stream()
                .filter(each -> each.loop() == of)
                .map(UdpLoop::sessions)
                .findFirst()
                .orElseThrow();
    }

    BackendSelectorFactory selectors() {
        return selectors;
    }

    ListenerPorts ports() {
        return ports;
    }

    DialGuard guard() {
        return guard;
    }

    boolean isRedirected() {
        return redirected;
    }

    /** Reads the addresses of the node anew; sockets are bound to them from now on. */
    void readNode() {
        if (!redirected) {
            return;
        }
        try {
            node = NodeAddresses.read().primary();
        } catch (IOException e) {
            log.warn("the addresses of this node can't be read: {}", e.toString());
        }
    }

    /** What sockets of a family are bound to now; empty if the node has no address of it. */
    Optional<IpAddress> address(IpFamily family) {
        if (!redirected) {
            return Optional.of(config.listener().address());
        }
        Optional<IpAddress> configured =
                family == IpFamily.IPV4
                        ? config.redirect().address4()
                        : config.redirect().address6();
        return configured.or(
                () -> node.stream().filter(each -> each.family() == family).findFirst());
    }

    /** Ends all sessions, before the loops end. */
    void close() {
        for (UdpLoop loop : loops) {
            try {
                loop.run(loop.sessions()::close);
            } catch (IOException | RuntimeException e) {
                log.debug("the sessions of a loop could not be ended", e);
            }
        }
    }
}
