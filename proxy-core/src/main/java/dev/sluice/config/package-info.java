/**
 * The settings as a tree of small records, read once and checked at start. {@code reference.conf}
 * lists every key with its unit, default and reason.
 *
 * <p>Entry type: {@link dev.sluice.config.ProxyConfig}. Threads: everything here is immutable and
 * may be read from any thread.
 */
@NullMarked
package dev.sluice.config;

import org.jspecify.annotations.NullMarked;
