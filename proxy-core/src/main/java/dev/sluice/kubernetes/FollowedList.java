package dev.sluice.kubernetes;

import dev.sluice.control.WatchStatus;
import dev.sluice.kubernetes.transport.ApiFailures;
import dev.sluice.kubernetes.transport.WatchHealth;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One list of the API server, kept up by an informer, and by another one when that gives up. The
 * objects of the last complete list stay until the next one is complete.
 *
 * <p>An informer opens its watch again by itself. It is replaced, which reads the whole list anew,
 * when its list fails, when it gets none in time, when the server refuses the watch because the
 * version or the resource is gone, and when the server turns out to have another history: an etcd
 * that was restored counts from below, and a watch from above would stay silent without an error.
 *
 * <p>Threads: {@link #tick} and {@link #close} one at a time; all others any.
 */
final class FollowedList<T extends HasMetadata> {
    private static final Logger log = LoggerFactory.getLogger(FollowedList.class);

    /** A watch that is opened again within this time is not worth a line in the log. */
    private static final Duration SHORT_OUTAGE = Duration.ofSeconds(15);

    private static final int NOT_FOUND = 404;
    private static final int GONE = 410;

    private final ApiServer server;
    private final ListedResource<T> resource;
    private final WatchHealth watch;
    private final Backoff backoff;
    private final LongSupplier nanoTime;
    private final Runnable onChange;
    private long nextAttempt;
    private boolean outageTold;

    private volatile boolean complete;
    private volatile long listedAt;
    private final AtomicLong lists = new AtomicLong();
    private final AtomicLong listFailures = new AtomicLong();
    private volatile @Nullable String failure;
    private volatile boolean absent;
    private volatile @Nullable Run current;

    /**
     * A list that is followed from the first {@link #tick} on.
     *
     * @param onChange called whenever {@link #objects} may be others; returns at once
     */
    FollowedList(
            ApiServer server,
            ListedResource<T> resource,
            Backoff backoff,
            LongSupplier nanoTime,
            Runnable onChange) {
        this.server = server;
        this.resource = resource;
        this.watch = server.traffic().watch(resource.path());
        this.backoff = backoff;
        this.nanoTime = nanoTime;
        this.onChange = onChange;
        this.nextAttempt = nanoTime.getAsLong();
    }

    /** Whether the whole list has been read once. */
    boolean isComplete() {
        return complete;
    }

    /** Whether the server says that it does not have this resource. */
    boolean isAbsent() {
        return absent;
    }

    /** All objects as they are now, in no order. Nobody may change them. */
    List<T> objects() {
        Run run = current;
        return run == null ? List.of() : run.informer.getStore().list();
    }

    WatchStatus status() {
        Optional<String> trouble =
                Optional.ofNullable(failure).or(complete ? watch::failure : Optional::empty);
        return new WatchStatus(
                resource.name(),
                complete ? Optional.of(age()) : Optional.empty(),
                lists.get(),
                listFailures.get() + watch.failures(),
                trouble);
    }

    private Duration age() {
        long heard =
                watch.lastHeard()
                        .map(time -> time - listedAt > 0 ? time : listedAt)
                        .orElse(listedAt);
        return Duration.ofNanos(Math.max(0, nanoTime.getAsLong() - heard));
    }

    /** Starts an informer if there should be one, and looks whether the one there is does well. */
    void tick() {
        long now = nanoTime.getAsLong();
        Run run = current;
        if (run == null || run.over.get()) {
            if (now - nextAttempt >= 0) {
                begin(run);
            }
            return;
        }
        Optional<String> fault = run.fault(now);
        if (fault.isPresent()) {
            run.end(fault.get(), watch.refusal().orElse(0));
        } else if (run.listed) {
            tellOutage(watch.failure());
        }
    }

    private void tellOutage(Optional<String> outage) {
        if (outage.isPresent() && !outageTold && age().compareTo(SHORT_OUTAGE) > 0) {
            outageTold = true;
            log.warn(
                    "{} of {} are not followed now, and what was known before is served on: {}",
                    resource.name(),
                    server.address(),
                    outage.get());
        } else if (outage.isEmpty() && outageTold) {
            outageTold = false;
            log.info("{} of {} are followed again", resource.name(), server.address());
        }
    }

    private void begin(@Nullable Run before) {
        // At most a try per pause, whatever comes of it.
        nextAttempt = nanoTime.getAsLong() + backoff.next();
        Run run = new Run(before);
        run.informer.start().whenComplete((started, ignored) -> {});
        current = run;
    }

    void close() {
        Run run = current;
        if (run != null) {
            run.over.set(true);
            run.informer.stop();
        }
    }

    /** One informer, from its start until it gives up or is given up. */
    private final class Run implements ResourceEventHandler<T> {
        private final SharedIndexInformer<T> informer;
        private final long begun = nanoTime.getAsLong();
        private final long openedBefore = watch.opened();
        private long historyChecked = openedBefore + 1;
        private volatile boolean listed;
        private final AtomicBoolean over = new AtomicBoolean();

        Run(@Nullable Run before) {
            informer = resource.operation().apply(server.client()).runnableInformer(0);
            informer.itemStore(new LeanStore<>());
            if (before != null && complete) {
                // Also makes the list a consistent read: a cached one might be older than these.
                informer.initialState(before.informer.getStore().list().stream());
            }
            informer.exceptionHandler(
                    (started, thrown) -> {
                        end(ApiFailures.describe(thrown), ApiFailures.status(thrown));
                        return false;
                    });
            informer.addEventHandler(this);
        }

        /** What is wrong with this informer, though it goes on. */
        Optional<String> fault(long now) {
            if (!listed) {
                return now - begun < server.pace().listLimit().toNanos()
                        ? Optional.empty()
                        : Optional.of(
                                "no complete list in "
                                        + server.pace().listLimit().toSeconds()
                                        + " s");
            }
            int refusal = watch.refusal().orElse(0);
            if (refusal == NOT_FOUND || refusal == GONE) {
                return watch.failure();
            }
            long opened = watch.opened();
            if (opened > openedBefore) {
                backoff.reset();
            }
            // The first watch begins at the version of the list.
            if (opened > historyChecked && watch.failure().isEmpty()) {
                return historyFault(opened);
            }
            return Optional.empty();
        }

        private Optional<String> historyFault(long opened) {
            try {
                @Nullable String seen = informer.lastSyncResourceVersion();
                String now =
                        resource.operation()
                                .apply(server.client())
                                .list(new ListOptionsBuilder().withLimit(1L).build())
                                .getMetadata()
                                .getResourceVersion();
                historyChecked = opened;
                return isNumber(seen)
                                && isNumber(now)
                                && new BigInteger(now).compareTo(new BigInteger(seen)) < 0
                        ? Optional.of(
                                "the API server is at version "
                                        + now
                                        + " after it was at "
                                        + seen
                                        + ": it has another history")
                        : Optional.empty();
            } catch (KubernetesClientException e) {
                log.debug("{}: the version could not be asked for", resource.name(), e);
                return Optional.empty();
            }
        }

        private static boolean isNumber(@Nullable String version) {
            return version != null && version.matches("\\d{1,30}");
        }

        private void end(String reason, int status) {
            if (!over.compareAndSet(false, true)) {
                return;
            }
            listFailures.incrementAndGet();
            absent = status == NOT_FOUND;
            if (!reason.equals(failure)) {
                failure = reason;
                log.warn(
                        "{} of {} can't be followed, and that is tried again: {}",
                        resource.name(),
                        server.address(),
                        reason);
            }
            informer.stop();
        }

        @Override
        public void onList(String resourceVersion, boolean remainedEmpty) {
            if (over.get()) {
                return;
            }
            listed = true;
            listedAt = nanoTime.getAsLong();
            lists.incrementAndGet();
            absent = false;
            if (failure != null) {
                log.info("{} of {} are followed again", resource.name(), server.address());
                failure = null;
            }
            complete = true;
            onChange.run();
        }

        @Override
        public void onAdd(T object) {
            changed();
        }

        @Override
        public void onUpdate(T before, T after) {
            changed();
        }

        @Override
        public void onDelete(T object, boolean finalStateUnknown) {
            changed();
        }

        private void changed() {
            if (listed) {
                onChange.run();
            }
        }
    }
}
