package dev.sluice.kubernetes.transport;

import java.net.http.HttpHeaders;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * All traffic to one API server: how its watches are, and when the next request may be sent.
 *
 * <p>Threads: any.
 */
public final class ApiTraffic {
    /** No server decides that nothing is asked for longer than this. */
    private static final long LONGEST_PAUSE_SECONDS = 30;

    private static final int TOO_MANY_REQUESTS = 429;
    private static final int SERVICE_UNAVAILABLE = 503;

    private final Map<String, WatchHealth> watches = new ConcurrentHashMap<>();
    private final Set<BoundedBody<?>> answers = ConcurrentHashMap.newKeySet();
    private final LongSupplier nanoTime;
    private final Duration answerLimit;
    private final Duration silenceLimit;
    private final Duration shortestPause;
    private final Duration longestPause;
    private final AtomicLong notBefore;

    /**
     * @param answerLimit an answer that is not whole so long after its headers is given up
     * @param silenceLimit a watch on which nothing comes for so long, not even the answer to a
     *     ping, is dead; some intervals of the pings
     * @param shortestPause before the next watch where two in a row ended as soon as they were
     *     open; it doubles with each further one
     * @param longestPause what it grows to
     */
    public ApiTraffic(
            LongSupplier nanoTime,
            Duration answerLimit,
            Duration silenceLimit,
            Duration shortestPause,
            Duration longestPause) {
        this.nanoTime = nanoTime;
        this.answerLimit = answerLimit;
        this.shortestPause = shortestPause;
        this.longestPause = longestPause;
        this.silenceLimit = silenceLimit;
        this.notBefore = new AtomicLong(nanoTime.getAsLong());
    }

    /** The watches on one path, {@code /api/v1/services} for instance. */
    public WatchHealth watch(String path) {
        return watches.computeIfAbsent(path, any -> new WatchHealth(shortestPause, longestPause));
    }

    /**
     * Breaks off every watch that is silent for too long, as it is when the server was replaced
     * without a FIN. The client then opens another. To be called every few seconds.
     */
    public void breakOffSilentWatches() {
        long now = nanoTime.getAsLong();
        for (WatchHealth watch : watches.values()) {
            for (WatchStream stream : watch.silentFor(silenceLimit.toNanos(), now)) {
                stream.breakOff("no sign of life for " + silenceLimit.toSeconds() + " s");
            }
        }
    }

    /** Gives up every answer that is not whole, since nobody waits for it any more. */
    public void giveUpAnswers() {
        answers.forEach(answer -> answer.giveUp("the client is closed"));
    }

    void begun(BoundedBody<?> answer) {
        answers.add(answer);
    }

    void ended(BoundedBody<?> answer) {
        answers.remove(answer);
    }

    Duration answerLimit() {
        return answerLimit;
    }

    long now() {
        return nanoTime.getAsLong();
    }

    /** RFC 9110, section 10.2.3, in seconds; a date is not used by API servers. */
    void answered(int status, HttpHeaders headers) {
        if (status != TOO_MANY_REQUESTS && status != SERVICE_UNAVAILABLE) {
            return;
        }
        retryAfter(headers)
                .ifPresent(
                        seconds ->
                                notBefore.accumulateAndGet(
                                        now() + TimeUnit.SECONDS.toNanos(seconds),
                                        (before, next) -> next - before > 0 ? next : before));
    }

    private static Optional<Long> retryAfter(HttpHeaders headers) {
        return headers.firstValue("Retry-After")
                .filter(text -> text.matches("\\d{1,9}"))
                .map(text -> Math.min(Long.parseLong(text), LONGEST_PAUSE_SECONDS));
    }

    /** Sends now, or when the pause that the server asked for is over. */
    <T> CompletableFuture<T> send(Supplier<CompletableFuture<T>> request) {
        return send(0, request);
    }

    /** The same, but not sooner than after this pause. */
    <T> CompletableFuture<T> send(long pauseNanos, Supplier<CompletableFuture<T>> request) {
        long wait = Math.max(pauseNanos, notBefore.get() - now());
        if (wait <= 0) {
            return request.get();
        }
        return new CompletableFuture<@Nullable Void>()
                .completeOnTimeout(null, wait, TimeUnit.NANOSECONDS)
                .thenCompose(over -> request.get());
    }
}
