package dev.sluice.redirect;

import dev.sluice.model.FrontEnd;
import dev.sluice.model.IpFamily;
import java.util.Collections;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * All that the kernel shall do for Sluice.
 *
 * <p>Immutable; any thread.
 *
 * @param redirects front end to the local port of its listener
 * @param refused front ends whose new connections the kernel resets because they alone, of those of
 *     their listener, have no endpoint; all of them among the keys of {@code redirects}
 */
public record RuleSet(SortedMap<FrontEnd, Integer> redirects, SortedSet<FrontEnd> refused) {
    /** No rule at all. */
    public static final RuleSet EMPTY =
            new RuleSet(Collections.emptySortedMap(), Collections.emptySortedSet());

    public RuleSet {
        redirects = Collections.unmodifiableSortedMap(new TreeMap<>(redirects));
        refused = Collections.unmodifiableSortedSet(new TreeSet<>(refused));
        for (FrontEnd frontEnd : refused) {
            if (!redirects.containsKey(frontEnd)) {
                throw new IllegalArgumentException(frontEnd + " is refused but not redirected");
            }
        }
    }

    /** The front ends of one family. */
    RuleSet only(IpFamily family) {
        SortedMap<FrontEnd, Integer> redirectsOfFamily = new TreeMap<>(redirects);
        redirectsOfFamily.keySet().removeIf(frontEnd -> frontEnd.address().family() != family);
        SortedSet<FrontEnd> refusedOfFamily = new TreeSet<>(refused);
        refusedOfFamily.removeIf(frontEnd -> frontEnd.address().family() != family);
        return new RuleSet(redirectsOfFamily, refusedOfFamily);
    }
}
