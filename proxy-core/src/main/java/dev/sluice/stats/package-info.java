/**
 * What is counted while the proxy works, for whoever asks.
 *
 * <p>Entry type: {@link dev.sluice.stats.DurationHistogram}. Threads: any.
 */
@NullMarked
package dev.sluice.stats;

import org.jspecify.annotations.NullMarked;
