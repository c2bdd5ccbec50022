package dev.sluice.redirect;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Failures of steps that don't depend on one another: one that fails doesn't stop the next.
 *
 * <p>Threads: one thread.
 */
final class Failures {
    private final List<RedirectException> failures = new ArrayList<>();

    /** A step that may fail. */
    interface Step {
        void run() throws RedirectException;
    }

    void collect(Step step) {
        try {
            step.run();
        } catch (RedirectException e) {
            failures.add(e);
        }
    }

    boolean isEmpty() {
        return failures.isEmpty();
    }

    /** Throws the failure, or one that names them all. */
    void rethrow() throws RedirectException {
        if (failures.size() == 1) {
            throw failures.get(0);
        }
        if (!failures.isEmpty()) {
            RedirectException all =
                    new RedirectException(
                            failures.stream()
                                    .map(RedirectException::getMessage)
                                    .collect(Collectors.joining("; ")));
            failures.forEach(all::addSuppressed);
            throw all;
        }
    }
}
