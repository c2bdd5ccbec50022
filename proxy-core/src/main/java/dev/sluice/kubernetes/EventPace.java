package dev.sluice.kubernetes;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * When concerns are told: each once, again after an hour at the earliest, and all together no
 * faster than an API server with a thousand such nodes stands. What has to wait is due later, as
 * long as it is there.
 *
 * <p>Threads: one.
 */
final class EventPace {
    static final Duration REPEAT = Duration.ofHours(1);
    static final int BURST = 25;
    static final Duration REFILL = Duration.ofSeconds(5);

    private final Map<ServiceConcern, Long> told = new HashMap<>();
    private int tokens = BURST;
    private long refilled;

    /**
     * @param now as {@link System#nanoTime} gives it
     */
    EventPace(long now) {
        refilled = now;
    }

    /** Those that are to be told now, which counts as done. */
    List<ServiceConcern> due(Set<ServiceConcern> present, long now) {
        long more = (now - refilled) / REFILL.toNanos();
        refilled += more * REFILL.toNanos();
        tokens = (int) Math.min(BURST, tokens + more);
        told.values().removeIf(time -> now - time >= REPEAT.toNanos());
        List<ServiceConcern> due = new ArrayList<>();
        for (ServiceConcern concern : present) {
            if (tokens == 0) {
                break;
            }
            if (!told.containsKey(concern)) {
                told.put(concern, now);
                tokens--;
                due.add(concern);
            }
        }
        return due;
    }

    /** That one could not be told after all. */
    void failed(ServiceConcern concern) {
        told.remove(concern);
    }
}
