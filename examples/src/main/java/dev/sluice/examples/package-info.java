/**
 * Sluice as a library: {@link dev.sluice.examples.EmbeddedProxy}. Threads: each example runs on the
 * thread that starts it.
 */
@NullMarked
package dev.sluice.examples;

import org.jspecify.annotations.NullMarked;
