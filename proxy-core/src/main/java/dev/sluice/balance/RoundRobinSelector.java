package dev.sluice.balance;

import dev.sluice.model.Endpoint;
import dev.sluice.model.IpAddress;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Round robin over the endpoints in ascending order.
 *
 * <p>First tries and retries draw from two independent positions: over a stable set each of them
 * reaches every endpoint equally often (±1 in any window), and what fails at one endpoint is spread
 * evenly over the others instead of shifting the turn of every other client.
 *
 * <p>Threads: any number at once; lock-free.
 */
final class RoundRobinSelector implements BackendSelector {
    private final List<Endpoint> endpoints;
    private final RoundRobinPosition position;

    RoundRobinSelector(List<Endpoint> endpoints, RoundRobinPosition position) {
        this.endpoints = endpoints;
        this.position = position;
    }

    @Override
    public Optional<Endpoint> select(IpAddress client, Set<Endpoint> tried) {
        if (tried.isEmpty()) {
            return endpoints.isEmpty()
                    ? Optional.empty()
                    : Optional.of(endpoints.get(position.nextFirstTry(endpoints.size())));
        }
        List<Endpoint> untried =
                endpoints.stream().filter(endpoint -> !tried.contains(endpoint)).toList();
        return untried.isEmpty()
                ? Optional.empty()
                : Optional.of(untried.get(position.nextRetry(untried.size())));
    }

    /** Round robin has no memory of clients: the caller's {@code tried} is all it needs. */
    @Override
    public void dialFailed(IpAddress client, Endpoint endpoint) {}
}
