/**
 * Tests of the admin server, over real sockets and with real traffic.
 *
 * <p>Threads: JUnit's.
 */
@NullMarked
package dev.sluice.admin;

import org.jspecify.annotations.NullMarked;
