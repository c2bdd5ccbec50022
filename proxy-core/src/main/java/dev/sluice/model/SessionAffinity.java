package dev.sluice.model;

import java.time.Duration;

/**
 * Whether connections of one client go to one endpoint ({@code spec.sessionAffinity}).
 *
 * <p>Immutable; any thread.
 */
public sealed interface SessionAffinity {
    /** Each connection is on its own. */
    SessionAffinity NONE = new None();

    /** {@code sessionAffinity: None}. */
    record None() implements SessionAffinity {}

    /**
     * {@code sessionAffinity: ClientIP}: connections of one client address to one Service port go
     * to one endpoint.
     *
     * @param timeout {@code sessionAffinityConfig.clientIP.timeoutSeconds}: the pin ends this long
     *     after the client's last new connection; 1 s to 86,400 s
     */
    record ClientIp(Duration timeout) implements SessionAffinity {
        /** What the API server fills in when {@code timeoutSeconds} is absent. */
        public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(10_800);

        public ClientIp {
            if (timeout.compareTo(Duration.ofSeconds(1)) < 0
                    || timeout.compareTo(Duration.ofSeconds(86_400)) > 0) {
                throw new IllegalArgumentException(
                        "session affinity timeout of "
                                + timeout.toSeconds()
                                + " s is not in 1..86400 s");
            }
        }
    }
}
