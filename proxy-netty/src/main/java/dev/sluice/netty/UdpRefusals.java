package dev.sluice.netty;

import dev.sluice.model.Endpoint;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Endpoints at which nobody listened lately.
 *
 * <p>A kernel answers only about one datagram a second with "port unreachable" (RFC 1812, 4.3.2.8),
 * so what one session hears has to do for all of them: otherwise most questions to a dead endpoint
 * would be lost.
 *
 * <p>Threads: its event loop only.
 */
final class UdpRefusals {
    /** Longer than the pause between two answers of the kernel. */
    static final long MEMORY_NANOS = 2_000_000_000;

    private static final int MOST = 1024;

    /** Time of the last refusal, the oldest one first. */
    private final Map<Endpoint, Long> refusals =
            new LinkedHashMap<>() {
                private static final long serialVersionUID = 1;

                @Override
                protected boolean removeEldestEntry(Map.Entry<Endpoint, Long> eldest) {
                    return size() > MOST;
                }
            };

    /** Takes note of a refusal; true if none was known from a moment ago. */
    boolean refused(Endpoint endpoint, long now) {
        boolean isNews = !isRecent(endpoint, now);
        refusals.remove(endpoint);
        refusals.put(endpoint, now);
        return isNews;
    }

    void answered(Endpoint endpoint) {
        if (!refusals.isEmpty()) {
            refusals.remove(endpoint);
        }
    }

    /** Whether it refused not long ago. */
    boolean isRecent(Endpoint endpoint, long now) {
        return isRecentSince(endpoint, now - MEMORY_NANOS, now);
    }

    /** Whether it refused not long ago, and after a time. */
    boolean isRecentSince(Endpoint endpoint, long since, long now) {
        Long at = refusals.isEmpty() ? null : refusals.get(endpoint);
        return at != null && now - at < MEMORY_NANOS && at - since > 0;
    }
}
