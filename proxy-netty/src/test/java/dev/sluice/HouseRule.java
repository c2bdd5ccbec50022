package dev.sluice;

import com.tngtech.archunit.lang.ArchRule;
import java.util.List;

/**
 * A rule with the proof that it can fail.
 *
 * <p>Immutable; any thread.
 *
 * @param offences each is part of a violation by {@code dev.sluice.offender}
 */
record HouseRule(ArchRule rule, List<String> offences) {
    HouseRule(ArchRule rule, String... offences) {
        this(rule, List.of(offences));
    }

    @Override
    public String toString() {
        return rule.getDescription();
    }
}
