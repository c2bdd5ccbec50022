/**
 * Tests of the program: its command line in this process, its signals in processes of their own.
 *
 * <p>Threads: each test runs on one thread.
 */
@NullMarked
package dev.sluice.app;

import org.jspecify.annotations.NullMarked;
