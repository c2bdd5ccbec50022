/**
 * The life of a connection, top to bottom: an {@link dev.sluice.netty.Acceptor} takes it and reads
 * its current {@link dev.sluice.netty.Backends} once; a {@link dev.sluice.netty.ProxyConnection}
 * holds its two legs; a {@link dev.sluice.netty.Dialer} asks the selector and dials, endpoint after
 * endpoint, until one answers; then two {@link dev.sluice.netty.Relay}s, one a direction, move
 * bytes until both have passed on the end of their stream. After the dial there is no routing code.
 *
 * <p>The sockets are registered with Netty's event loops directly (its {@code IoHandle} interface),
 * without a channel or pipeline for each: the relay then knows of each socket what the kernel knows
 * (data, end of stream, reset, room), also of half-closed ones, and one buffer an event loop serves
 * all of its connections. One code runs on every {@link dev.sluice.netty.NettyTransport}; only the
 * sockets differ.
 *
 * <p>Entry type: {@link dev.sluice.netty.NettyServiceListeners}. Threads: the control thread opens,
 * updates and closes listeners; all else belongs to an event loop, both legs of a connection to the
 * same one, and never blocks. State that crosses threads: the acceptor's backends (one volatile),
 * the counters and the limit of connections (atomics), and the {@link dev.sluice.netty.DialGuard},
 * since what may not be dialled is known for all Service ports together. Bytes are counted by the
 * loop of their connection alone; who wants to see them asks the loops ({@link
 * dev.sluice.netty.Traffic}).
 */
@NullMarked
package dev.sluice.netty;

import org.jspecify.annotations.NullMarked;
