/**
 * What outlives the process: the lock that lets one copy at a time write rules, and the local ports
 * that listeners had, so that the rules of an earlier process still point to the right listener.
 *
 * <p>Entry types: {@link dev.sluice.state.StateDirectory} and {@link
 * dev.sluice.state.ListenerPorts}. Threads: control thread only, but for the file of remembered
 * ports, which has a thread of its own since a disk may be slow.
 */
@NullMarked
package dev.sluice.state;

import org.jspecify.annotations.NullMarked;
