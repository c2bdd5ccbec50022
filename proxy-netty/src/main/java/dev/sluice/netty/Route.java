package dev.sluice.netty;

import dev.sluice.balance.BackendSelector;
import dev.sluice.model.Answer;
import dev.sluice.netty.ConnectionCounters.Event;
import java.util.Optional;

/**
 * Where a client goes: to who picks its endpoint, or nowhere, for a reason.
 *
 * <p>Immutable; any thread.
 *
 * @param selector empty if the client is not served
 * @param refusal what is counted then
 */
record Route(Optional<BackendSelector> selector, Event refusal) {
    static final Route NOT_ALLOWED = new Route(Optional.empty(), Event.SOURCE_NOT_ALLOWED);
    static final Route NOT_REDIRECTED = new Route(Optional.empty(), Event.NOT_REDIRECTED);

    /**
     * @param selector picks the endpoint if the answer is to serve
     */
    static Route of(Answer answer, BackendSelector selector) {
        return switch (answer) {
            case SERVE -> new Route(Optional.of(selector), Event.ACCEPTED);
            case REFUSE -> new Route(Optional.empty(), Event.NO_ENDPOINT);
            case DROP -> new Route(Optional.empty(), Event.NO_LOCAL_ENDPOINT);
        };
    }

    boolean isOpen() {
        return selector.isPresent();
    }
}
