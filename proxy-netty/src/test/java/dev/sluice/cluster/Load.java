package dev.sluice.cluster;

import dev.sluice.e2e.Clients;
import java.io.Closeable;
import java.io.Serializable;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Clients that come at a steady rate, each on a connection of its own, until {@link #stop}.
 *
 * <p>Threads: any; as many of its own as clients wait at once.
 */
final class Load implements Closeable {
    private static final int END_LIMIT_SECONDS = 30;

    private final Map<String, Integer> answers = new ConcurrentHashMap<>();
    private final AtomicLong slowest = new AtomicLong();
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
    private final ExecutorService clients = Executors.newCachedThreadPool();
    private final Future<?> ticks;

    /**
     * What the clients were told.
     *
     * <p>Immutable; any thread.
     *
     * @param answers how often which one came; see {@link Clients#ask}
     * @param slowestMillis from connect to the end of the answer
     */
    record Outcome(Map<String, Integer> answers, long slowestMillis) implements Serializable {
        int connections() {
            return answers.values().stream().mapToInt(Integer::intValue).sum();
        }

        /** Those who were not told the name of a backend. */
        int failed() {
            return answers.entrySet().stream()
                    .filter(answer -> answer.getKey().length() != 1)
                    .mapToInt(Map.Entry::getValue)
                    .sum();
        }
    }

    private Load(InetSocketAddress service, int perSecond) {
        long period = TimeUnit.SECONDS.toNanos(1) / perSecond;
        ticks =
                clock.scheduleAtFixedRate(
                        () -> clients.execute(() -> ask(service)), 0, period, TimeUnit.NANOSECONDS);
    }

    /** Clients come from now on. */
    static Load start(InetSocketAddress service, int perSecond) {
        return new Load(service, perSecond);
    }

    private void ask(InetSocketAddress service) {
        long start = System.nanoTime();
        String answer;
        try {
            answer = Clients.ask(service);
        } catch (Exception e) {
            answer = e.toString();
        }
        answers.merge(answer, 1, Integer::sum);
        slowest.accumulateAndGet((System.nanoTime() - start) / 1_000_000, Math::max);
    }

    /** Sends no further client and waits for those that are there. */
    Outcome stop() throws InterruptedException {
        close();
        if (!clock.awaitTermination(END_LIMIT_SECONDS, TimeUnit.SECONDS)
                || !clients.awaitTermination(END_LIMIT_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("clients still wait after " + END_LIMIT_SECONDS + " s");
        }
        return new Outcome(new TreeMap<>(answers), slowest.get());
    }

    @Override
    public void close() {
        ticks.cancel(false);
        clock.shutdown();
        clients.shutdown();
    }
}
