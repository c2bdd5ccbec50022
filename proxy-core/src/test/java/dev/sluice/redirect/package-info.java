/**
 * Tests of the redirect rules: their text in process, their effect in network namespaces that a
 * test makes and removes.
 *
 * <p>Entry type: {@link dev.sluice.redirect.IptablesRedirectRulesIT}. Threads: each test is a
 * control thread.
 */
@NullMarked
package dev.sluice.redirect;

import org.jspecify.annotations.NullMarked;
