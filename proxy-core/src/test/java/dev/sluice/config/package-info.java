/**
 * Tests of the settings: every rule, the documentation of every key, and which source wins.
 *
 * <p>Threads: each test runs on one thread.
 */
@NullMarked
package dev.sluice.config;

import org.jspecify.annotations.NullMarked;
