/**
 * Tests of what is counted.
 *
 * <p>Threads: JUnit's.
 */
@NullMarked
package dev.sluice.stats;

import org.jspecify.annotations.NullMarked;
