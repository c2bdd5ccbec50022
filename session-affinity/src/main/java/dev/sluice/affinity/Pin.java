package dev.sluice.affinity;

import dev.sluice.model.Endpoint;

/**
 * The endpoint that one client goes to, and when it last did.
 *
 * <p>Compared by identity: two pins to one endpoint are not the same pin.
 *
 * <p>Threads: any number at once; lock-free.
 */
final class Pin {
    private final Endpoint endpoint;
    private volatile long usedAt;

    Pin(Endpoint endpoint, long now) {
        this.endpoint = endpoint;
        this.usedAt = now;
    }

    Endpoint endpoint() {
        return endpoint;
    }

    /** A new connection of the client starts the timeout anew. */
    void use(long now) {
        usedAt = now;
    }

    boolean isAlive(long now, long timeoutNanos) {
        return now - usedAt < timeoutNanos;
    }
}
