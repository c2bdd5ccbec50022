/**
 * Session affinity: connections of one client address to one Service port go to one endpoint.
 *
 * <p>Entry type: {@link dev.sluice.affinity.AffinitySelectorFactory}, which wraps any other {@link
 * dev.sluice.balance.BackendSelectorFactory}. A selector over fixed endpoints asks the {@link
 * dev.sluice.affinity.AffinityTable}, which outlives it, for the client's pin, and the selector
 * that it wraps when there is none.
 *
 * <p>Threads: the factory belongs to the control thread; selectors and tables are used by all event
 * loops at once. Expired pins are removed on the common pool, never on an event loop.
 */
@NullMarked
package dev.sluice.affinity;

import org.jspecify.annotations.NullMarked;
