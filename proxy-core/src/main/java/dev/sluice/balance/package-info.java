/**
 * Which endpoint a new connection goes to.
 *
 * <p>Entry type: {@link dev.sluice.balance.BackendSelector}. A selector is made anew for each set
 * of endpoints and never changes; what must outlive it (the round-robin position, the pins of
 * session affinity) belongs to its {@link dev.sluice.balance.BackendSelectorFactory}.
 *
 * <p>Threads: factories belong to the control thread; selectors are called by all event loops at
 * once.
 */
@NullMarked
package dev.sluice.balance;

import org.jspecify.annotations.NullMarked;
