/** Runs every example and reads every sample manifest. Threads: JUnit's. */
@NullMarked
package dev.sluice.examples;

import org.jspecify.annotations.NullMarked;
