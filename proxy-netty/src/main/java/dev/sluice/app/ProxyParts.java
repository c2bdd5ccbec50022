package dev.sluice.app;

import dev.sluice.admin.AdminServer;
import dev.sluice.admin.HealthServers;
import dev.sluice.affinity.AffinitySelectorFactory;
import dev.sluice.balance.RoundRobinSelectorFactory;
import dev.sluice.config.NodePortAddresses;
import dev.sluice.config.ProxyConfig;
import dev.sluice.control.HealthChecks;
import dev.sluice.control.Reconciler;
import dev.sluice.control.ServiceListeners;
import dev.sluice.control.ServiceSource;
import dev.sluice.control.SyncTimes;
import dev.sluice.netty.NettyServiceListeners;
import dev.sluice.redirect.RedirectException;
import dev.sluice.redirect.RedirectRules;
import dev.sluice.state.ListenerPorts;
import dev.sluice.state.PortMemory;
import dev.sluice.state.StateDirectory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Deque;
import java.util.Optional;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a proxy, put together.
 *
 * <p>Threads: put together by one; what the parts allow then.
 *
 * @param health who tells load balancers; empty if nobody is to
 * @param state the lock on what outlives the process; empty if nothing does
 * @param held to be closed once no rule and no listener is left, last one first
 */
record ProxyParts(
        ProxyConfig config,
        ServiceSource source,
        AffinitySelectorFactory affinity,
        NettyServiceListeners listeners,
        Reconciler reconciler,
        Optional<HealthServers> health,
        Optional<StateDirectory> state,
        Deque<AutoCloseable> held) {
    /** How often the wait for the xtables lock fits into the time for rules to be removed. */
    private static final int REMOVAL_TRIES = 3;

    /**
     * How long an admin address that is in use is waited for where a copy that drains may have it,
     * which then gives it up.
     */
    private static final Duration ADMIN_TAKEOVER_WAIT = Duration.ofSeconds(2);

    /**
     * Puts the parts together; nothing is served yet.
     *
     * @param held gets what must be closed, also if this fails
     * @throws IllegalStateException if the transport asked for is not available here
     */
    static ProxyParts assemble(ProxyConfig config, ServiceSource source, Deque<AutoCloseable> held)
            throws IOException, RedirectException {
        PortMemory memory = PortMemory.inMemory();
        Optional<StateDirectory> state = Optional.empty();
        Optional<Path> directory = config.state().directory();
        if (directory.isPresent()) {
            StateDirectory locked =
                    StateDirectory.open(directory.get(), config.state().takeoverWait());
            held.push(locked);
            state = Optional.of(locked);
            memory = PortMemory.at(locked.file("ports"));
        }
        held.push(memory);
        RedirectRules rules = RedirectBackEnd.open(config.redirect());
        AffinitySelectorFactory affinity =
                new AffinitySelectorFactory(
                        new RoundRobinSelectorFactory(new SplittableRandom()), config.affinity());
        NettyServiceListeners netty =
                new NettyServiceListeners(
                        config,
                        new ListenerPorts(config.listener().portRanges(), memory),
                        affinity);
        ServiceListeners listeners =
                config.redirect().mode() == ProxyConfig.Redirect.Mode.NONE
                        ? new LoggingServiceListeners(netty, config.listener().address())
                        : netty;
        SyncTimes syncs = new SyncTimes(InstantSource.system());
        Optional<HealthServers> health = health(config, source, syncs);
        // Last of all: its port goes to the next copy together with the state.
        health.ifPresent(held::push);
        Reconciler reconciler =
                new Reconciler(
                        source,
                        listeners,
                        health.map(HealthServers::healthChecks).orElse(HealthChecks.NONE),
                        rules,
                        syncs,
                        config.reconcile(),
                        removalLimit(config));
        return new ProxyParts(config, source, affinity, netty, reconciler, health, state, held);
    }

    private static Optional<HealthServers> health(
            ProxyConfig config, ServiceSource source, SyncTimes syncs) throws IOException {
        if (config.health().address().isEmpty()
                && config.nodePorts().addresses().equals(NodePortAddresses.NONE)) {
            return Optional.empty();
        }
        try {
            return Optional.of(new HealthServers(syncs, source::nodeIneligible));
        } catch (NoClassDefFoundError e) {
            throw new IOException(
                    "sluice.health.address or sluice.node-ports.addresses is set, but the health"
                            + " servers' libraries are not on the class path ("
                            + e.getMessage()
                            + "): add io.netty:netty-codec-http, or set them to none and []",
                    e);
        }
    }

    /** Begins to tell the node's health, if that is to be told. */
    void startHealth() {
        health.ifPresent(servers -> config.health().address().ifPresent(servers::listen));
    }

    /** How long rules that can't be removed are tried to be. */
    static Duration removalLimit(ProxyConfig config) {
        return config.redirect().lockWait().multipliedBy(REMOVAL_TRIES);
    }

    /**
     * Starts the admin server, if there is to be one.
     *
     * @throws IOException if its address can't be had, or its libraries are missing
     */
    @Nullable AdminServer startAdmin() throws IOException {
        Optional<InetSocketAddress> address = config.admin().address();
        if (address.isEmpty()) {
            return null;
        }
        try {
            return AdminServer.start(
                    address.get(),
                    state.isPresent() ? ADMIN_TAKEOVER_WAIT : Duration.ZERO,
                    config,
                    reconciler,
                    source,
                    listeners.traffic(),
                    affinity,
                    health);
        } catch (NoClassDefFoundError e) {
            throw new IOException(
                    "sluice.admin.address is set, but the admin server's libraries are not on the"
                            + " class path ("
                            + e.getMessage()
                            + "): add io.netty:netty-codec-http and io.prometheus:"
                            + "prometheus-metrics-{model,exposition-textformats,instrumentation-jvm},"
                            + " or set it to none",
                    e);
        }
    }
}
