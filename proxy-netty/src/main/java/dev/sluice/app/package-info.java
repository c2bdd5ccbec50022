/**
 * The proxy as a whole: {@link dev.sluice.app.ServiceProxy} for embedding, and the command line
 * around it.
 *
 * <p>Entry types: {@link dev.sluice.app.ServiceProxy} and {@code Main}. Threads: a proxy may be
 * started, asked and closed from any thread.
 */
@NullMarked
package dev.sluice.app;

import org.jspecify.annotations.NullMarked;
