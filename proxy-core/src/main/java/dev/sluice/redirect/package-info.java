/**
 * The rules that bring a client's packets to the listener of the Service port it asked for.
 *
 * <p>The iptables back end reads the node's network ({@link dev.sluice.redirect.NodeNetwork}) and
 * what each table holds ({@link dev.sluice.redirect.SavedTable}), lays out what it shall hold
 * ({@link dev.sluice.redirect.NatRules}), and writes the difference ({@link
 * dev.sluice.redirect.TablePatch}) in one transaction per table.
 *
 * <p>Entry type: {@link dev.sluice.redirect.RedirectRules}. Threads: control thread only; it may
 * run programs and wait for them.
 */
@NullMarked
package dev.sluice.redirect;

import org.jspecify.annotations.NullMarked;
