/**
 * What every test of this module leaves behind: nothing. Open descriptors and Netty buffers are
 * counted around each test.
 *
 * <p>Entry types: {@link dev.sluice.check.LeakCheck} (registered for all test classes) and {@link
 * dev.sluice.check.DescriptorCheck} (asked for by a class). Threads: JUnit's.
 */
@NullMarked
package dev.sluice.check;

import org.jspecify.annotations.NullMarked;
