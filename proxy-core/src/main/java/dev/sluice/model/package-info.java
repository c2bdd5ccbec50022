/**
 * The nouns of the proxy as immutable values: Service ports, front ends, endpoints, and the one
 * consistent view of them all, {@link dev.sluice.model.ServiceSnapshot}.
 *
 * <p>Entry type: {@link dev.sluice.model.ServiceSnapshot}. Threads: everything here is immutable
 * and may be read from any thread.
 */
@NullMarked
package dev.sluice.model;

import org.jspecify.annotations.NullMarked;
