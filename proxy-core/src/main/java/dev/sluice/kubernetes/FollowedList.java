package dev.sluice.kubernetes;

import dev.sluice.control.WatchStatus;
import dev.sluice.kubernetes.transport.WatchHealth;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One list of the API server, kept up by an informer, and by another one when that gives up, which
 * begins with the objects of the one before.
 *
 * <p>An informer is given up, which reads the whole list anew, when the server refuses its watch
 * because the version or the resource is gone, and when the server turns out to have another
 * history: an etcd that was restored counts from below, and a watch from above would stay silent
 * without an error.
 *
 * <p>Threads: {@link #tick} and {@link #close} one at a time; all others any.
 */
final class FollowedList<T extends HasMetadata> {
    private static final Logger log = LoggerFactory.getLogger(FollowedList.class);

    /** A watch that is opened again within this time is not worth a line in the log. */
    private static final Duration SHORT_OUTAGE = Duration.ofSeconds(15);

    private static final int FORBIDDEN = 403;
    private static final int NOT_FOUND = 404;
    private static final int GONE = 410;

    private final ApiServer server;
    private final ListedResource<T> resource;
    private final WatchHealth watch;
    private final Backoff backoff;
    private final HistoryCheck history;
    private final LongSupplier nanoTime;
    private final Runnable onChange;
    private final AtomicLong lists = new AtomicLong();
    private final AtomicLong listFailures = new AtomicLong();
    private final AtomicLong changes = new AtomicLong();
    private long nextAttempt;
    private long begun;
    private long openedBefore;
    private boolean outageTold;
    private volatile long listedAt;
    private volatile @Nullable String failure;
    private volatile boolean absent;
    private volatile boolean forbidden;
    private volatile @Nullable InformerRun<T> current;

    /** A list that is followed from the first {@link #tick} on. */
    FollowedList(ListFollower follower, ListedResource<T> resource) {
        this.server = follower.server();
        this.resource = resource;
        this.watch = server.traffic().watch(resource.path());
        this.backoff = follower.backoff();
        this.nanoTime = follower.nanoTime();
        this.history =
                new HistoryCheck(
                        follower.inquiry(() -> resource.versionNow(server.client())), watch);
        this.onChange = follower.onChange();
        this.nextAttempt = nanoTime.getAsLong();
    }

    /** Whether the whole list has been read once. */
    boolean isComplete() {
        InformerRun<T> run = current;
        return run != null && run.isComplete();
    }

    /** Whether the server says that it does not have this resource. */
    boolean isAbsent() {
        return absent;
    }

    /** Whether the server says that it does not have this resource, or not for this program. */
    boolean isRefused() {
        return absent || forbidden;
    }

    /** How many objects were added, changed and deleted since the start. */
    long changes() {
        return changes.get();
    }

    /** All objects as they are now, in no order. Nobody may change them. */
    List<T> objects() {
        InformerRun<T> run = current;
        return run == null ? List.of() : run.objects();
    }

    /**
     * One object as it is now.
     *
     * @param key {@code namespace/name}
     */
    Optional<T> object(String key) {
        InformerRun<T> run = current;
        return run == null ? Optional.empty() : run.object(key);
    }

    WatchStatus status() {
        boolean complete = isComplete();
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
        InformerRun<T> run = current;
        if (run == null || run.isOver()) {
            if (nanoTime.getAsLong() - nextAttempt >= 0) {
                begin(run);
            }
        } else if (run.isListed()) {
            lookAfter(run);
        }
    }

    private void begin(@Nullable InformerRun<T> before) {
        begun = nanoTime.getAsLong();
        // At most a try per pause, whatever comes of it.
        nextAttempt = begun + backoff.next();
        openedBefore = watch.opened();
        history.startAfter(openedBefore + 1);
        InformerRun<T> run =
                new InformerRun<>(
                        resource.operation().apply(server.client()).runnableInformer(0),
                        before != null && before.isComplete() ? before.objects().stream() : null,
                        new Outcome());
        run.start();
        current = run;
        // It may have told of its list before its objects could be seen here.
        if (run.isListed()) {
            onChange.run();
        }
    }

    private void lookAfter(InformerRun<T> run) {
        int refusal = watch.refusalSince(begun).orElse(0);
        if (refusal == NOT_FOUND || refusal == GONE) {
            run.end(watch.failure().orElse("the watch was refused"), refusal);
            return;
        }
        if (watch.opened() > openedBefore) {
            backoff.reset();
            // Not as soon as it is listed: a list alone may be all that this program may read.
            if (failure != null) {
                failure = null;
                log.info("{} of {} are followed again", resource.name(), server.address());
            }
        }
        history.look(run.version()).ifPresent(fault -> run.end(fault, 0));
        tellOutage(watch.failure());
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

    void close() {
        InformerRun<T> run = current;
        if (run != null) {
            run.close();
        }
    }

    private final class Outcome implements InformerRun.Listener {
        @Override
        public void listed() {
            listedAt = nanoTime.getAsLong();
            lists.incrementAndGet();
            absent = false;
            forbidden = false;
            onChange.run();
        }

        @Override
        public void changed(boolean isListed) {
            changes.incrementAndGet();
            if (isListed) {
                onChange.run();
            }
        }

        @Override
        public void ended(String reason, int status) {
            listFailures.incrementAndGet();
            boolean wasRefused = isRefused();
            absent = status == NOT_FOUND;
            forbidden = status == FORBIDDEN;
            if (!reason.equals(failure)) {
                failure = reason;
                log.warn(
                        "{} of {} can't be followed, and that is tried again: {}",
                        resource.name(),
                        server.address(),
                        reason);
            }
            // Who can do without this list waits for it no more.
            if (isRefused() && !wasRefused) {
                onChange.run();
            }
        }
    }
}
