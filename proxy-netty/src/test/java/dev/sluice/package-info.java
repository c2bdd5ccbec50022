/**
 * What holds for the code of all modules together: {@link dev.sluice.ArchitectureTest}. Its rules
 * are in {@link dev.sluice.StructureRules} and {@link dev.sluice.CodeRules}, and {@code
 * dev.sluice.offender} breaks each of them. Threads: JUnit's.
 */
@NullMarked
package dev.sluice;

import org.jspecify.annotations.NullMarked;
