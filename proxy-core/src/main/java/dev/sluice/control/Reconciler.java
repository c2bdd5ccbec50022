package dev.sluice.control;

import dev.sluice.config.ProxyConfig;
import dev.sluice.model.ServiceName;
import dev.sluice.model.ServiceSnapshot;
import dev.sluice.model.SnapshotDiff;
import dev.sluice.redirect.RedirectRules;
import dev.sluice.redirect.RuleCounts;
import dev.sluice.redirect.RuleSet;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.SortedMap;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes listeners and rules what the source says, and keeps them so.
 *
 * <p>Every run takes the whole snapshot, so no event can be missed by one: a wake only says that
 * there may be something new. The first change of a quiet time runs at once, others a pause later;
 * the last state always lands.
 *
 * <p>Threads: public methods any thread; all the rest runs on one thread, {@code sluice-control},
 * which alone owns what is applied and alone calls the source's {@code snapshot}, the listeners and
 * the rules.
 */
public final class Reconciler {
    private static final Logger log = LoggerFactory.getLogger(Reconciler.class);

    private final ServiceSource source;
    private final ServiceListeners listeners;
    private final HealthChecks healthChecks;
    private final AppliedPorts ports;
    private final RedirectRules backEnd;
    private final PacedRules rules;
    private final ProxyConfig.Reconcile pace;
    private final Duration removalLimit;
    private final ScheduledExecutorService control;
    private final LongSupplier nanoTime;
    private final Queue<CompletableFuture<ReconcileStatus>> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean woken = new AtomicBoolean();
    private final AtomicBoolean stopping = new AtomicBoolean();
    private final CompletableFuture<Void> stopped = new CompletableFuture<>();
    private volatile ReconcileStatus status = ReconcileStatus.NOTHING_YET;
    private final SyncTimes syncs;
    private final NextRun nextRun;
    private long earliestRun;

    /** What {@link #stop} does with the rules. */
    public enum RulesAtStop {
        /** Nothing is left behind: connections to a ClusterIP go where they went without Sluice. */
        REMOVE,
        /** They stay for a next process that takes the same ports; until then they lead nowhere. */
        KEEP
    }

    /**
     * A reconciler that does nothing before {@link #start}.
     *
     * @param source followed until {@link #stop}, which closes it
     * @param listeners all of them closed by {@link #stop}
     * @param healthChecks all of them ended by {@link #stop}
     * @param syncs told of every run
     * @param removalLimit how long {@link #stop} goes on to try if rules can't be removed
     */
    public Reconciler(
            ServiceSource source,
            ServiceListeners listeners,
            HealthChecks healthChecks,
            RedirectRules rules,
            SyncTimes syncs,
            ProxyConfig.Reconcile pace,
            Duration removalLimit) {
        this(
                source,
                listeners,
                healthChecks,
                rules,
                syncs,
                pace,
                removalLimit,
                ControlThread.start(),
                System::nanoTime);
    }

    /**
     * @param control runs one task after another
     */
    Reconciler(
            ServiceSource source,
            ServiceListeners listeners,
            HealthChecks healthChecks,
            RedirectRules rules,
            SyncTimes syncs,
            ProxyConfig.Reconcile pace,
            Duration removalLimit,
            ScheduledExecutorService control,
            LongSupplier nanoTime) {
        this.source = source;
        this.listeners = listeners;
        this.healthChecks = healthChecks;
        this.ports = new AppliedPorts(listeners);
        this.backEnd = rules;
        this.rules = new PacedRules(rules, pace, nanoTime);
        this.syncs = syncs;
        this.pace = pace;
        this.removalLimit = removalLimit;
        this.control = control;
        this.nanoTime = nanoTime;
        this.nextRun = new NextRun(control, nanoTime, this::run);
        this.earliestRun = nanoTime.getAsLong();
    }

    /** Begins to follow the source. Once only. */
    public void start() {
        source.start(this::wake);
    }

    /** What the last run came to. */
    public ReconcileStatus status() {
        return status;
    }

    /** What the back end has in the kernel, and what it did there. */
    public RuleCounts ruleCounts() {
        return backEnd.counts();
    }

    /** When runs were asked for, and how long they took. */
    public SyncTimes syncs() {
        return syncs;
    }

    /** Completes when the control thread takes a turn; dropped if it is stopped meanwhile. */
    public CompletableFuture<?> nextTurn() {
        return stopped.isDone() ? stopped.copy() : CompletableFuture.runAsync(() -> {}, control);
    }

    /**
     * Completes when all that the source has now is applied or has been tried: the status tells
     * which. That is never before the source is complete for the first time. Completed on the
     * control thread.
     *
     * @return ends with {@link CancellationException} if the reconciler is stopped before, and with
     *     {@link UnusableSourceException} if the source must not be followed
     */
    public CompletableFuture<ReconcileStatus> settled() {
        CompletableFuture<ReconcileStatus> settled = new CompletableFuture<>();
        waiting.add(settled);
        wake();
        if (stopped.isDone()) {
            settled.cancel(false);
        }
        return settled;
    }

    /**
     * Follows the source no more and closes all listeners, after the rules are removed, or without
     * touching them. While rules can't be removed, what they lead to is served on. Connections go
     * on. A second call changes nothing.
     *
     * @return completes when that is done; ends with {@link dev.sluice.redirect.RedirectException}
     *     if rules could not be removed within the limit, in which case the listeners are closed
     *     nevertheless
     */
    public CompletableFuture<Void> stop(RulesAtStop rulesAtStop) {
        if (stopping.compareAndSet(false, true)) {
            control.execute(() -> end(rulesAtStop));
        }
        return stopped.copy();
    }

    private void wake() {
        syncs.queued();
        if (woken.compareAndSet(false, true)) {
            control.execute(
                    () -> {
                        woken.set(false);
                        nextRun.by(earliestRun);
                    });
        }
    }

    // Whatever a run dies of, the one after it must follow: nothing else would start it.
    private void run() {
        if (stopping.get()) {
            return;
        }
        long begin = nanoTime.getAsLong();
        earliestRun = begin + pace.minInterval().toNanos();
        // Those who wait for this run at the latest; who comes during it waits for the next one.
        List<CompletableFuture<ReconcileStatus>> served = List.copyOf(waiting);
        try {
            syncs.begins(source.changes());
            source.snapshot().ifPresent(desired -> reconcile(desired, served, begin));
        } catch (UnusableSourceException e) {
            status = status.brokenOff(e);
            served.forEach(settled -> settled.completeExceptionally(e));
            waiting.removeIf(CompletableFuture::isDone);
        } catch (Throwable e) {
            log.error("A run of the control path broke off; it is repeated", e);
            status = status.brokenOff(e);
            syncs.ran(nanoTime.getAsLong() - begin, status);
            nextRun.by(nanoTime.getAsLong() + pace.retryInterval().toNanos());
        }
    }

    private void reconcile(
            ServiceSnapshot desired, List<CompletableFuture<ReconcileStatus>> served, long begin) {
        syncs.triggered(source.takeTriggerTimes());
        SnapshotDiff diff = SnapshotDiff.between(ports.applied(), desired.servicePorts());
        listeners.localSources(desired.localSources());
        ports.openAndUpdate(diff);
        RuleSet wanted = ports.rules(desired);
        rules.write(wanted);
        if (rules.hold(wanted)) {
            ports.close(diff.removed());
            syncs.inForce();
        }
        SortedMap<ServiceName, String> unchecked = healthChecks.replaceAll(desired.healthChecks());
        ports.failures().endRun();
        status =
                new ReconcileStatus(
                        true,
                        desired.problems(),
                        ports.failures().current(),
                        unchecked,
                        rules.failure(),
                        !rules.areUnknown(),
                        ports.localPorts());
        syncs.ran(nanoTime.getAsLong() - begin, status);
        source.applied(status);
        nextRun.by(rules.dueAt(wanted));
        if (!status.portFailures().isEmpty() || !unchecked.isEmpty()) {
            nextRun.by(nanoTime.getAsLong() + pace.retryInterval().toNanos());
        }
        if (rules.hold(wanted) || rules.areUnknown()) {
            served.forEach(settled -> settled.complete(status));
            waiting.removeIf(CompletableFuture::isDone);
        }
    }

    private void end(RulesAtStop rulesAtStop) {
        Throwable sourceFailure = closeSource();
        if (rulesAtStop == RulesAtStop.KEEP) {
            finish(sourceFailure);
            return;
        }
        new RuleRemoval(
                        rules,
                        control,
                        nanoTime,
                        pace.retryInterval(),
                        removalLimit,
                        failure -> finish(failure == null ? sourceFailure : failure))
                .attempt();
    }

    private @Nullable Throwable closeSource() {
        try {
            source.close();
            return null;
        } catch (Throwable e) {
            return e;
        }
    }

    private void finish(@Nullable Throwable failure) {
        try {
            ports.close(List.copyOf(ports.applied().keySet()));
            healthChecks.replaceAll(List.of());
        } catch (Throwable e) {
            stopped.completeExceptionally(e);
        }
        if (failure != null) {
            stopped.completeExceptionally(failure);
        }
        stopped.complete(null);
        status = ReconcileStatus.NOTHING_YET;
        waiting.forEach(settled -> settled.cancel(false));
        control.shutdownNow();
    }
}
