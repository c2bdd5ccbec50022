/**
 * Tests of the parts of the data path, on real sockets of loopback and real event loops; what all
 * parts promise together is tested in {@code dev.sluice.netty.contract}.
 *
 * <p>Entry type for the parts of one event loop: {@link dev.sluice.netty.OneLoop}. Threads:
 * JUnit's.
 */
@NullMarked
package dev.sluice.netty;

import org.jspecify.annotations.NullMarked;
