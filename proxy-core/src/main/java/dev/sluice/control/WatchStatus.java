package dev.sluice.control;

import java.time.Duration;
import java.util.Optional;

/**
 * How well one list of the Kubernetes API is followed.
 *
 * <p>Immutable; any thread.
 *
 * @param resource plural name, {@code services} for instance
 * @param age time since the API server was last known to be there and the list to be up to date,
 *     not negative; empty before the list was complete for the first time
 * @param lists how often the whole list was read
 * @param failures how often a list could not be read, or a watch did not begin or broke off
 * @param failure what keeps the list from being followed now, in one line; empty while it is
 *     followed
 */
public record WatchStatus(
        String resource,
        Optional<Duration> age,
        long lists,
        long failures,
        Optional<String> failure) {}
