/**
 * The rules that bring a client's packets to the listener of the Service port it asked for.
 *
 * <p>Entry type: {@link dev.sluice.redirect.RedirectRules}. Threads: control thread only; it may
 * run programs and wait for them.
 */
@NullMarked
package dev.sluice.redirect;

import org.jspecify.annotations.NullMarked;
