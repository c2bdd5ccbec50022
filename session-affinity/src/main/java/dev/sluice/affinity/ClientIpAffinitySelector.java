package dev.sluice.affinity;

import dev.sluice.balance.BackendSelector;
import dev.sluice.model.Endpoint;
import dev.sluice.model.IpAddress;
import java.util.Optional;
import java.util.Set;

/**
 * {@code sessionAffinity: ClientIP} around another selector: a client goes where it went before,
 * and where the other selector says if it has no pin, or one to an endpoint that is gone or failed.
 * A failed dial replaces a pin; it never prolongs one. A fault of this node leaves the pin: the one
 * connection goes elsewhere, the client's next one back.
 *
 * <p>Threads: any number at once.
 */
final class ClientIpAffinitySelector implements BackendSelector {
    private final BackendSelector balance;
    private final Set<Endpoint> endpoints;
    private final AffinityTable table;

    /**
     * @param balance picks for clients without a pin, out of the same endpoints
     */
    ClientIpAffinitySelector(
            BackendSelector balance, Set<Endpoint> endpoints, AffinityTable table) {
        this.balance = balance;
        this.endpoints = endpoints;
        this.table = table;
    }

    @Override
    public Optional<Endpoint> select(IpAddress client, Set<Endpoint> tried) {
        // The table may hold a pin to an endpoint outside this set, made through a selector of an
        // older set that a connection still used.
        return table.pin(client, endpoints::contains, tried, () -> balance.select(client, tried));
    }

    @Override
    public void dialFailed(IpAddress client, Endpoint endpoint) {
        table.unpin(client, endpoint);
        balance.dialFailed(client, endpoint);
    }
}
