/**
 * The life of a change, top to bottom: a {@link dev.sluice.control.ServiceSource} wakes the {@link
 * dev.sluice.control.Reconciler}, which paces, takes the whole snapshot, compares it with what is
 * applied ({@link dev.sluice.model.SnapshotDiff#between}), opens and updates listeners ({@link
 * dev.sluice.control.ServiceListeners}), replaces the rules ({@link
 * dev.sluice.redirect.RedirectRules#replaceAll}) and then closes the listeners that no rule names
 * any more. Make before break: no rule ever names a port that nobody listens on. What failed still
 * differs from what is applied, so the next run tries it again, and one Service port that fails
 * never stops the others.
 *
 * <p>Entry type: {@link dev.sluice.control.Reconciler}; what it came to stands in {@link
 * dev.sluice.control.ReconcileStatus}.
 *
 * <p>Threads: sources wake from any thread; one control thread runs all the rest and may block.
 */
@NullMarked
package dev.sluice.control;

import org.jspecify.annotations.NullMarked;
