/**
 * TCP peers for tests: clients and backends on plain blocking sockets, so that what a test sees
 * doesn't depend on the networking code it tests. Every wait is bounded, and a reader says how its
 * input ended: by FIN, by RST or not at all.
 *
 * <p>Entry types: {@link dev.sluice.peer.Peer} (one end of a connection) and {@link
 * dev.sluice.peer.Backend} (a listener with a {@link dev.sluice.peer.Behaviour}). Threads: one per
 * backend connection; a {@code Peer} may be read by one thread and written by another.
 */
@NullMarked
package dev.sluice.peer;

import org.jspecify.annotations.NullMarked;
