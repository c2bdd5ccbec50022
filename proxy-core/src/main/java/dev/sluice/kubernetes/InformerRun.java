package dev.sluice.kubernetes;

import dev.sluice.kubernetes.transport.ApiFailures;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One informer, from its start until it gives up or is given up. It lists, watches, opens the watch
 * again, and lists again when events are gone; it ends with the first list or first watch that
 * fails.
 *
 * <p>Threads: any.
 */
final class InformerRun<T extends HasMetadata> implements ResourceEventHandler<T> {
    /** What becomes of it. Called on threads of the client; returns at once. */
    interface Listener {
        /** The list is complete, for the first time or again. */
        void listed();

        /**
         * An object is another, was added or has gone.
         *
         * @param isListed whether the list is complete; before there is nothing to wake up for
         */
        void changed(boolean isListed);

        /**
         * It is over.
         *
         * @param reason in one line
         * @param status of HTTP; 0 if there was no answer
         */
        void ended(String reason, int status);
    }

    private final SharedIndexInformer<T> informer;
    private final Listener listener;
    private final boolean hasObjects;
    private final AtomicBoolean over = new AtomicBoolean();
    private volatile boolean listed;

    /**
     * An informer that is not started.
     *
     * @param known objects to begin with, which also makes the list a consistent read, since a
     *     cached one might be older than these; null if there are none yet
     */
    InformerRun(SharedIndexInformer<T> informer, @Nullable Stream<T> known, Listener listener) {
        this.informer = informer;
        this.listener = listener;
        this.hasObjects = known != null;
        informer.itemStore(new LeanStore<>());
        if (known != null) {
            informer.initialState(known);
        }
        informer.exceptionHandler(
                (started, thrown) -> {
                    end(ApiFailures.describe(thrown), ApiFailures.status(thrown));
                    return false;
                });
        informer.addEventHandler(this);
    }

    void start() {
        // What comes of it is told to the exception handler.
        CompletableFuture<?> unused = informer.start().toCompletableFuture();
    }

    boolean isOver() {
        return over.get();
    }

    /** Whether this informer itself has had a complete list. */
    boolean isListed() {
        return listed;
    }

    /** Whether it has all objects, its own or those that it began with. */
    boolean isComplete() {
        return listed || hasObjects;
    }

    List<T> objects() {
        return informer.getStore().list();
    }

    /**
     * @param key {@code namespace/name}
     */
    Optional<T> object(String key) {
        return Optional.ofNullable(informer.getStore().getByKey(key));
    }

    /** The version of the last event, bookmark or list. */
    @Nullable String version() {
        return informer.lastSyncResourceVersion();
    }

    void end(String reason, int status) {
        if (over.compareAndSet(false, true)) {
            listener.ended(reason, status);
            informer.stop();
        }
    }

    /** Ends without telling. */
    void close() {
        over.set(true);
        informer.stop();
    }

    @Override
    public void onList(String resourceVersion, boolean remainedEmpty) {
        if (!over.get()) {
            listed = true;
            listener.listed();
        }
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
        if (!over.get()) {
            listener.changed(listed);
        }
    }
}
