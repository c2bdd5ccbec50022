/**
 * Breaks the rules of {@link dev.sluice.StructureRules} that need a second package: it and {@code
 * dev.sluice.offender.model} use each other. Never run. {@code dev.sluice.offender.model} has no
 * package-info, which is an offence, too.
 */
@NullMarked
package dev.sluice.offender.config;

import org.jspecify.annotations.NullMarked;
