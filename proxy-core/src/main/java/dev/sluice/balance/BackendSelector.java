package dev.sluice.balance;

import dev.sluice.model.Endpoint;
import dev.sluice.model.IpAddress;
import java.util.Optional;
import java.util.Set;

/**
 * Picks the endpoint for each dial of one Service port and address family, from one fixed set of
 * endpoints.
 *
 * <p>Threads: called from many event loops at once and never blocks.
 */
public interface BackendSelector {
    /**
     * The endpoint to dial next.
     *
     * @param client the address of the client
     * @param tried endpoints that already failed for this connection, none of which is answered;
     *     empty for the first dial of a connection
     * @return empty if no endpoint is left that was not tried
     */
    Optional<Endpoint> select(IpAddress client, Set<Endpoint> tried);

    /**
     * Tells that a dial which this selector asked for failed at the endpoint (refused, unreachable,
     * no answer in time), so that nothing sends this client there again. A local fault (no
     * descriptor, no port) is not reported.
     */
    void dialFailed(IpAddress client, Endpoint endpoint);
}
