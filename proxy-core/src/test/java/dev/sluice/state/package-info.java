/**
 * Tests of what outlives the process. Ports are only numbers here: nothing is bound.
 *
 * <p>Threads: each test runs on one thread unless it says so.
 */
@NullMarked
package dev.sluice.state;

import org.jspecify.annotations.NullMarked;
