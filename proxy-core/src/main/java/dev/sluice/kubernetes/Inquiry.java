package dev.sluice.kubernetes;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A request to the API server that nobody waits for: it is sent on another thread, and whoever asks
 * looks for the answer from time to time. Those that fail are repeated after a pause that grows.
 *
 * <p>Threads: one at a time; requests on those of the executor.
 */
final class Inquiry<T> {
    private final Supplier<T> request;
    private final Executor executor;
    private final Backoff backoff;
    private final LongSupplier nanoTime;
    private @Nullable CompletableFuture<T> answer;
    private long notBefore;

    /**
     * @param request blocks until there is an answer, or throws
     */
    Inquiry(Supplier<T> request, Executor executor, Backoff backoff, LongSupplier nanoTime) {
        this.request = request;
        this.executor = executor;
        this.backoff = backoff;
        this.nanoTime = nanoTime;
        this.notBefore = nanoTime.getAsLong();
    }

    /**
     * Sends the request, unless one is on its way or its pause is not over, or takes the answer.
     *
     * @param failed gets what a request threw
     * @return the answer, once
     */
    Optional<T> look(Consumer<Throwable> failed) {
        CompletableFuture<T> sent = answer;
        if (sent == null) {
            if (nanoTime.getAsLong() - notBefore >= 0) {
                answer = CompletableFuture.supplyAsync(request, executor);
            }
            return Optional.empty();
        }
        if (!sent.isDone()) {
            return Optional.empty();
        }
        answer = null;
        notBefore = nanoTime.getAsLong() + backoff.next();
        try {
            return Optional.of(sent.join());
        } catch (CompletionException e) {
            failed.accept(e.getCause() == null ? e : e.getCause());
            return Optional.empty();
        }
    }

    /** The answer that may be on its way is not wanted any more. */
    void drop() {
        answer = null;
    }

    /** What it was for has succeeded: the next pause is the shortest again. */
    void succeeded() {
        backoff.reset();
    }
}
