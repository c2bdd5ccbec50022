/**
 * Tests of {@link dev.sluice.control}, most of them on the test's own thread and a fake clock.
 * Threads: each test says which it starts.
 */
@NullMarked
package dev.sluice.control;

import org.jspecify.annotations.NullMarked;
