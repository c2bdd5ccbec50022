/**
 * Tests of the model.
 *
 * <p>Entry type: none. Threads: each test has its own.
 */
@NullMarked
package dev.sluice.model;

import org.jspecify.annotations.NullMarked;
