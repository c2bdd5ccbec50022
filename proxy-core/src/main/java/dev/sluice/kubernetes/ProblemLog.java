package dev.sluice.kubernetes;

import dev.sluice.model.Problem;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says once that a problem is there, and once that it is gone.
 *
 * <p>Threads: one.
 */
final class ProblemLog {
    private static final Logger logger = LoggerFactory.getLogger(ProblemLog.class);

    private Set<Problem> known = Set.of();

    /**
     * @param problems all there are now
     */
    void update(List<Problem> problems) {
        Set<Problem> now = new LinkedHashSet<>(problems);
        now.stream().filter(p -> !known.contains(p)).forEach(p -> logger.warn("Left out: {}", p));
        known.stream().filter(p -> !now.contains(p)).forEach(p -> logger.info("Solved: {}", p));
        known = now;
    }
}
