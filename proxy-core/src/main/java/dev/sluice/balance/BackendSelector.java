package dev.sluice.balance;

import dev.sluice.model.Endpoint;
import dev.sluice.model.IpAddress;
import java.util.Optional;
import java.util.Set;

/**
 * Picks the endpoint for each dial of one Service port and address family, from one fixed set of
 * endpoints.
 *
 * <p>A failure at the endpoint is told to {@link #dialFailed}, and only then is {@link #select}
 * called again, with the endpoint in {@code tried}. What went wrong on this node (no descriptor, no
 * local port, an endpoint that must not be dialled from here) says nothing about the endpoint: it
 * gets into {@code tried} and nothing is told. So a selector that remembers where a client belongs
 * forgets an endpoint because of {@link #dialFailed}, never because of {@code tried}.
 *
 * <p>Threads: called from many event loops at once and never blocks.
 */
public interface BackendSelector {
    /**
     * The endpoint to dial next.
     *
     * @param client the address of the client
     * @param tried endpoints that this connection could not reach, whether by their failure or by a
     *     fault of this node, none of which is answered; empty for the first dial of a connection,
     *     and again once all were tried
     * @return empty if no endpoint is left that was not tried
     */
    Optional<Endpoint> select(IpAddress client, Set<Endpoint> tried);

    /**
     * Tells that a dial which this selector asked for failed at the endpoint (refused, unreachable,
     * no answer in time), so that nothing sends this client there again. Precedes the next {@link
     * #select} of the same connection. What went wrong on this node is not reported.
     */
    void dialFailed(IpAddress client, Endpoint endpoint);
}
