/** Tests of {@link dev.sluice.affinity}. Threads: each test says which it starts. */
@NullMarked
package dev.sluice.affinity;

import org.jspecify.annotations.NullMarked;
