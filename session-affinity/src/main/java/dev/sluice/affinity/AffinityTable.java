package dev.sluice.affinity;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Policy.FixedExpiration;
import com.github.benmanes.caffeine.cache.Scheduler;
import com.github.benmanes.caffeine.cache.Ticker;
import dev.sluice.model.Endpoint;
import dev.sluice.model.IpAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The pins of one Service port and family: client address to endpoint.
 *
 * <p>A pin is alive for the timeout since the client's last new connection, to the nanosecond. That
 * is decided by the time kept in the pin: the cache's own expiry leaves an access less than a
 * second after the one before unrecorded, which would cut a pin short by up to a second. The cache
 * expires a second later than the pins and only takes the dead ones out, within about two seconds
 * and without any traffic.
 *
 * <p>Bounded: when it is full, the cache keeps the clients that come most often. A new client may
 * then lose its pin at once, and is balanced anew with each connection until it keeps one.
 *
 * <p>Threads: {@link #pin}, {@link #unpin} and {@link #size} any number at once, without a lock for
 * a client whose pin serves; {@link #update} control thread only.
 */
final class AffinityTable {
    /** Resolution of the access times that the cache keeps. */
    private static final Duration CACHE_TOLERANCE = Duration.ofSeconds(1);

    private final Cache<IpAddress, Pin> pins;
    private final FixedExpiration<IpAddress, Pin> expiry;
    private final Ticker ticker;
    private volatile long timeoutNanos;

    /**
     * @param maxClients most pins, at least 1
     * @param ticker a monotonic clock in nanoseconds
     * @param scheduler wakes the removal of expired pins
     */
    AffinityTable(int maxClients, Duration timeout, Ticker ticker, Scheduler scheduler) {
        this.ticker = ticker;
        this.timeoutNanos = timeout.toNanos();
        // The default executor, the common pool, is the one on which the cache removes a backlog
        // at once; on any other it takes a thousand entries a second.
        this.pins =
                Caffeine.newBuilder()
                        .maximumSize(maxClients)
                        .expireAfterAccess(timeout.plus(CACHE_TOLERANCE))
                        .ticker(ticker)
                        .scheduler(scheduler)
                        .build();
        this.expiry = pins.policy().expireAfterAccess().orElseThrow();
    }

    /**
     * The client's endpoint, for a dial.
     *
     * @param current whether there is such an endpoint; a pin to any other is replaced
     * @param tried endpoints that failed for this connection. A failure at the endpoint has ended
     *     the pin, so a pin to one of these met a fault of this node: {@code balance} answers, and
     *     the pin is left as it is
     * @param balance picks an endpoint, none of {@code tried}; called at most once, and for a new
     *     pin by one thread at a time for one client, so that parallel first connections agree
     * @return empty if {@code balance} has none; the client is unpinned then if its pin was not
     *     left
     */
    Optional<Endpoint> pin(
            IpAddress client,
            Predicate<Endpoint> current,
            Set<Endpoint> tried,
            Supplier<Optional<Endpoint>> balance) {
        long now = ticker.read();
        Pin pin = pins.getIfPresent(client);
        if (pin == null || !holds(pin, current, now)) {
            pin =
                    pins.asMap()
                            .compute(
                                    client,
                                    (key, found) -> {
                                        if (found != null && holds(found, current, now)) {
                                            return found;
                                        }
                                        return balance.get()
                                                .map(endpoint -> new Pin(endpoint, now))
                                                .orElse(null);
                                    });
        }
        if (pin == null) {
            return Optional.empty();
        }
        if (tried.contains(pin.endpoint())) {
            return balance.get();
        }
        pin.use(now);
        return Optional.of(pin.endpoint());
    }

    /** Unpins the client if its pin is to this endpoint. */
    void unpin(IpAddress client, Endpoint endpoint) {
        pins.asMap()
                .computeIfPresent(
                        client, (key, pin) -> pin.endpoint().equals(endpoint) ? null : pin);
    }

    /**
     * Brings a live table to the Service port's new value: pins to other endpoints are dropped, and
     * the timeout counts for the pins there are, from their last use. What had expired stays so.
     */
    void update(Set<Endpoint> endpoints, Duration timeout) {
        long now = ticker.read();
        long before = timeoutNanos;
        pins.asMap()
                .values()
                .removeIf(pin -> !pin.isAlive(now, before) || !endpoints.contains(pin.endpoint()));
        if (timeout.toNanos() != before) {
            expiry.setExpiresAfter(timeout.plus(CACHE_TOLERANCE));
            timeoutNanos = timeout.toNanos();
        }
    }

    /** Number of pins, those included that expired in the last two seconds or so. */
    long size() {
        return pins.estimatedSize();
    }

    private boolean holds(Pin pin, Predicate<Endpoint> current, long now) {
        return pin.isAlive(now, timeoutNanos) && current.test(pin.endpoint());
    }
}
