package dev.sluice.app;

import dev.sluice.admin.AdminServer;
import dev.sluice.admin.HealthServers;
import dev.sluice.config.ProxyConfig;
import dev.sluice.control.ReconcileStatus;
import dev.sluice.control.Reconciler;
import dev.sluice.control.Reconciler.RulesAtStop;
import dev.sluice.control.ServiceSource;
import dev.sluice.control.UnusableSourceException;
import dev.sluice.model.ServicePortName;
import dev.sluice.netty.NettyServiceListeners;
import dev.sluice.redirect.RedirectException;
import dev.sluice.state.StateDirectory;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running proxy: everything wired together, for embedding and for the program.
 *
 * <p>It has no static state, so several may run in one JVM; it starts daemon threads only, installs
 * no shutdown hook and never exits the JVM.
 *
 * <p>Threads: any.
 */
public final class ServiceProxy implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ServiceProxy.class);

    /** How often a copy that serves on looks whether another one waits for it. */
    private static final Duration LOOK = Duration.ofMillis(100);

    /** Longest wait for listeners to be closed, on top of that for rules to be removed. */
    private static final Duration STOP_LIMIT = Duration.ofMinutes(1);

    private final ProxyConfig config;
    private final ProxyParts parts;
    private final NettyServiceListeners listeners;
    private final Reconciler reconciler;
    private volatile @Nullable AdminServer admin;
    private boolean stopped;

    private ServiceProxy(ProxyParts parts) {
        this.config = parts.config();
        this.parts = parts;
        this.listeners = parts.listeners();
        this.reconciler = parts.reconciler();
    }

    /** A proxy with the settings of {@code reference.conf} and no source yet. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Where the listener of a Service port is bound: with {@code redirect.mode = none} the address
     * that a client connects to.
     *
     * @return empty if there is no such Service port, or no listener for it
     */
    public Optional<InetSocketAddress> localAddress(ServicePortName name) {
        return listeners.address(name);
    }

    /** The Service ports that have a listener. */
    public Set<ServicePortName> servicePorts() {
        return status().localPorts().keySet();
    }

    /** What the last change came to, and what could not be applied. */
    public ReconcileStatus status() {
        return reconciler.status();
    }

    /**
     * Completes when all that the source says now is applied, or has been tried.
     *
     * @return never completed if the source never becomes complete; cancelled by {@link #close}
     */
    public CompletableFuture<ReconcileStatus> settled() {
        return reconciler.settled();
    }

    /** Client connections now, those whose endpoint is still being dialled included. */
    public int activeConnections() {
        return listeners.activeConnections();
    }

    /** Where the admin server listens; empty if there is none ({@code admin.address = none}). */
    public Optional<InetSocketAddress> adminAddress() {
        return Optional.ofNullable(admin).map(AdminServer::address);
    }

    /**
     * Where the node's health is told to load balancers; empty if it is not ({@code health.address
     * = none}), or can't be yet.
     */
    public Optional<InetSocketAddress> healthAddress() {
        return parts.health().flatMap(HealthServers::address);
    }

    /** {@code epoll} or {@code nio}. */
    public String transportName() {
        return listeners.transportName();
    }

    /** The admin server first: it tells what is missing while the Services are not complete. */
    private void begin() throws IOException {
        try {
            admin = parts.startAdmin();
            parts.startHealth();
            reconciler.start();
        } catch (IOException | RuntimeException e) {
            // Nothing was written yet: rules of an earlier process stay as they are.
            end(RulesAtStop.KEEP, Duration.ZERO);
            throw e;
        }
    }

    /**
     * Waits until connections have ended, but for a limited time, and closes. Rules are removed
     * first, and new connections not taken from then on, unless {@code shutdown.keep-rules} is set:
     * then clients go on to come, and are served until there is no connection or a successor waits.
     *
     * <p>Another proxy may have the state directory from the moment on in which no new connections
     * are taken, also while others go on, and then gets the address of the admin server, which
     * otherwise stays to the end. A call after {@link #close} does nothing.
     *
     * @param limit how long connections may go on; those that are left then, or when the thread is
     *     interrupted, are reset
     * @throws IOException if redirect rules are left that should have been removed; everything else
     *     is closed all the same
     */
    public void drain(Duration limit) throws IOException {
        end(config.shutdown().keepRules() ? RulesAtStop.KEEP : RulesAtStop.REMOVE, limit);
    }

    /** The same as {@link #drain} without waiting for connections; what fails is logged. */
    @Override
    public void close() {
        try {
            drain(Duration.ZERO);
        } catch (IOException e) {
            log.error("{}", e.getMessage());
        }
    }

    private synchronized void end(RulesAtStop rules, Duration limit) throws IOException {
        if (stopped) {
            return;
        }
        stopped = true;
        // An interrupt asks for an early end, not for rules that are left behind.
        boolean interrupted = Thread.interrupted();
        AdminServer server = admin;
        // Before anything is closed: who asks is to go elsewhere first.
        parts.health().ifPresent(HealthServers::drain);
        try {
            if (server != null) {
                server.drain();
            }
            long deadline = System.nanoTime() + limit.toNanos();
            boolean early = rules == RulesAtStop.KEEP && serveOn(deadline);
            interrupted |= early;
            Optional<Throwable> failure = stopReconciler(rules);
            closeAll(parts.held());
            if (server != null && parts.state().isPresent()) {
                server.closeFor(parts.state().get()::hasSuccessor);
            }
            try {
                awaitConnections(early ? Duration.ZERO : until(deadline), limit);
            } catch (InterruptedException e) {
                interrupted = true;
            }
            listeners.close();
            if (failure.isPresent()) {
                throw new IOException(
                        "redirect rules may be left, 'sluice cleanup' removes them: "
                                + failure.get().getMessage(),
                        failure.get());
            }
        } finally {
            if (server != null) {
                server.close();
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private Optional<Throwable> stopReconciler(RulesAtStop rules) {
        return reconciler
                .stop(rules)
                .orTimeout(
                        ProxyParts.removalLimit(config).plus(STOP_LIMIT).toSeconds(),
                        TimeUnit.SECONDS)
                .handle((done, failure) -> Optional.ofNullable(failure))
                .join();
    }

    /**
     * The rules still lead here, so that clients would be refused if nobody served them.
     *
     * @return whether the thread was interrupted, which asks for an early end
     */
    private boolean serveOn(long deadline) {
        try {
            while (!until(deadline).isZero()
                    && !parts.state().map(StateDirectory::isAwaited).orElse(false)) {
                Duration rest = until(deadline);
                if (listeners.awaitNoConnection(rest.compareTo(LOOK) < 0 ? rest : LOOK)) {
                    return false;
                }
            }
            return false;
        } catch (InterruptedException e) {
            return true;
        }
    }

    private static Duration until(long deadline) {
        return Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
    }

    private void awaitConnections(Duration rest, Duration limit) throws InterruptedException {
        if (!listeners.awaitNoConnection(rest) && !limit.isZero()) {
            log.info(
                    "connections still there after {} s, which are reset now: {}",
                    limit.toSeconds(),
                    listeners.activeConnections());
        }
    }

    private static void closeAll(Deque<AutoCloseable> resources) {
        for (AutoCloseable resource : resources) {
            try {
                resource.close();
            } catch (Exception e) {
                log.error("{} could not be closed", resource, e);
            }
        }
        resources.clear();
    }

    /** Threads: one. */
    public static final class Builder {
        private ProxyConfig config = ProxyConfig.defaults();
        private @Nullable ServiceSource source;

        private Builder() {}

        /** All settings; {@link ProxyConfig#embedded()} suits tests and programs without root. */
        public Builder config(ProxyConfig settings) {
            config = settings;
            return this;
        }

        /** Where Services come from; closed together with the proxy. Required. */
        public Builder source(ServiceSource services) {
            source = services;
            return this;
        }

        /**
         * Starts the proxy and waits until the first complete state of the source is applied, as
         * far as it can be: {@link ServiceProxy#status} tells what could not.
         *
         * @throws IOException if the proxy can't run here (state directory, transport, programs),
         *     in one line; {@link InterruptedIOException} if the thread was interrupted
         * @throws IllegalArgumentException if the source refuses what it was given
         */
        public ServiceProxy start() throws IOException {
            ServiceSource services = source;
            if (services == null) {
                throw new IllegalStateException("a proxy needs a source of Services");
            }
            Deque<AutoCloseable> held = new ArrayDeque<>();
            boolean started = false;
            try {
                ServiceProxy proxy = start(services, held);
                started = true;
                return proxy;
            } catch (IllegalStateException | RedirectException e) {
                throw new IOException(e.getMessage(), e);
            } finally {
                if (!started) {
                    services.close();
                    closeAll(held);
                }
            }
        }

        private ServiceProxy start(ServiceSource services, Deque<AutoCloseable> held)
                throws IOException, RedirectException {
            ServiceProxy proxy = new ServiceProxy(ProxyParts.assemble(config, services, held));
            proxy.begin();
            try {
                proxy.settled().get();
                return proxy;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                proxy.close();
                throw new InterruptedIOException("interrupted before the Services were complete");
            } catch (ExecutionException e) {
                if (e.getCause() instanceof UnusableSourceException unusable) {
                    proxy.end(RulesAtStop.KEEP, Duration.ZERO);
                    throw new IOException(unusable.getMessage(), unusable);
                }
                proxy.close();
                throw new IOException(String.valueOf(e.getCause()), e.getCause());
            }
        }
    }
}
