package dev.sluice.admin;

import dev.sluice.affinity.AffinitySelectorFactory;
import dev.sluice.balance.RoundRobinSelectorFactory;
import dev.sluice.config.ProxyConfig;
import dev.sluice.control.HealthChecks;
import dev.sluice.control.ProgrammaticServiceSource;
import dev.sluice.control.ReconcileStatus;
import dev.sluice.control.Reconciler;
import dev.sluice.control.SyncTimes;
import dev.sluice.model.ServicePort;
import dev.sluice.model.ServiceSnapshot;
import dev.sluice.netty.NettyServiceListeners;
import dev.sluice.redirect.RedirectException;
import dev.sluice.redirect.RedirectRules;
import dev.sluice.redirect.RuleSet;
import dev.sluice.state.ListenerPorts;
import dev.sluice.state.PortMemory;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The control path of a proxy, but for its rules: a kernel that takes them or refuses to, as the
 * test says.
 *
 * <p>Threads: the test's.
 */
final class ControlPath implements AutoCloseable {
    private static final Duration QUICK = Duration.ofMillis(20);
    private static final long PATIENCE_SECONDS = 10;

    final AtomicBoolean failing = new AtomicBoolean();
    private final ProgrammaticServiceSource source = new ProgrammaticServiceSource();
    private final NettyServiceListeners listeners;
    private final Reconciler reconciler;

    ControlPath(SyncTimes syncs, HealthChecks healthChecks) {
        ProxyConfig config = ProxyConfig.embedded();
        listeners =
                new NettyServiceListeners(
                        config,
                        new ListenerPorts(config.listener().portRanges(), PortMemory.inMemory()),
                        new AffinitySelectorFactory(
                                new RoundRobinSelectorFactory(new SplittableRandom(1)),
                                config.affinity()));
        reconciler =
                new Reconciler(
                        source,
                        listeners,
                        healthChecks,
                        new Kernel(),
                        syncs,
                        new ProxyConfig.Reconcile(QUICK, QUICK, QUICK, QUICK),
                        QUICK);
        reconciler.start();
    }

    private final class Kernel implements RedirectRules {
        @Override
        public void replaceAll(RuleSet rules) throws RedirectException {
            if (failing.get()) {
                throw new RedirectException("made by the test");
            }
        }

        @Override
        public void removeAll() {}
    }

    ReconcileStatus apply(ServicePort... ports) throws Exception {
        return apply(ServiceSnapshot.of(ports));
    }

    /** Tries to apply this. */
    ReconcileStatus apply(ServiceSnapshot snapshot) throws Exception {
        source.set(snapshot);
        return reconciler.settled().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        reconciler
                .stop(Reconciler.RulesAtStop.REMOVE)
                .orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS)
                .join();
        listeners.close();
    }
}
