package dev.sluice.control;

import dev.sluice.config.ProxyConfig;
import dev.sluice.redirect.RedirectException;
import dev.sluice.redirect.RedirectRules;
import dev.sluice.redirect.RuleSet;
import dev.sluice.redirect.UnservedFamilyException;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes rules no oftener than they may be, and again when they should be verified.
 *
 * <p>A pause follows the end of each call: the least interval after rules that changed, the verify
 * interval while they stay the same, the retry interval after a failure. A call may block for
 * seconds, and in the pause endpoints can change.
 *
 * <p>A family that this node can't serve is a failure to be shown, but nothing to wait for: the
 * other one's rules are in force, and go on as if all were well.
 *
 * <p>Threads: control thread only.
 */
final class PacedRules {
    private static final Logger log = LoggerFactory.getLogger(PacedRules.class);

    private final RedirectRules rules;
    private final LongSupplier nanoTime;
    private final long changeNanos;
    private final long verifyNanos;
    private final long retryNanos;
    private @Nullable RuleSet written;
    private @Nullable String failure;
    private long changedAt;
    private long calledAt;

    PacedRules(RedirectRules rules, ProxyConfig.Reconcile pace, LongSupplier nanoTime) {
        this.rules = rules;
        this.nanoTime = nanoTime;
        this.changeNanos = pace.minRuleInterval().toNanos();
        this.verifyNanos = pace.verifyInterval().toNanos();
        this.retryNanos = Math.max(pace.retryInterval().toNanos(), changeNanos);
        this.changedAt = nanoTime.getAsLong() - changeNanos;
    }

    /** Writes or verifies the rules, if that is due. */
    void write(RuleSet wanted) {
        if (dueAt(wanted) - nanoTime.getAsLong() > 0) {
            return;
        }
        boolean change = !hold(wanted);
        // Until the call has succeeded the kernel may hold anything.
        written = null;
        try {
            rules.replaceAll(wanted);
            written = wanted;
            succeeded();
        } catch (UnservedFamilyException e) {
            written = wanted;
            failed(String.valueOf(e.getMessage()), e);
        } catch (RedirectException e) {
            failed(e.getMessage() == null ? e.toString() : e.getMessage(), e);
        } catch (RuntimeException e) {
            failed(e.toString(), e);
        } finally {
            calledAt = nanoTime.getAsLong();
            changedAt = change ? calledAt : changedAt;
        }
    }

    /** Whether the kernel got exactly these rules by the last call, as far as it can have them. */
    boolean hold(RuleSet wanted) {
        return wanted.equals(written);
    }

    /** Whether the last call failed so that the kernel may hold anything. */
    boolean areUnknown() {
        return written == null && failure != null;
    }

    /** When {@link #write} of these rules does anything again, on the clock given. */
    long dueAt(RuleSet wanted) {
        if (areUnknown()) {
            return calledAt + retryNanos;
        }
        return hold(wanted) ? calledAt + verifyNanos : changedAt + changeNanos;
    }

    /** Why the last call failed. */
    Optional<String> failure() {
        return Optional.ofNullable(failure);
    }

    void removeAll() throws RedirectException {
        written = null;
        rules.removeAll();
    }

    private void succeeded() {
        if (failure != null) {
            failure = null;
            log.info("The redirect rules are as they should be again");
        }
    }

    private void failed(String text, Exception cause) {
        if (!text.equals(failure)) {
            log.warn("The redirect rules could not be written; what is served goes on", cause);
        } else {
            log.debug("The redirect rules could still not be written: {}", text);
        }
        failure = text;
    }
}
