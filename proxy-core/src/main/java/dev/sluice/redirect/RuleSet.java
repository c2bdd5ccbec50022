package dev.sluice.redirect;

import dev.sluice.model.Cidr;
import dev.sluice.model.FrontEnd;
import dev.sluice.model.IpAddress;
import dev.sluice.model.IpFamily;
import dev.sluice.model.SourceRanges;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * All that the kernel shall do for Sluice.
 *
 * <p>Immutable; any thread.
 *
 * @param redirects front end to where its listener is
 * @param refused front ends whose new connections the kernel resets because they alone, of those of
 *     their listener, have no endpoint; all of them among the keys of {@code redirects}
 * @param dropped front ends whose new connections get no answer, and whose they are; a front end
 *     that is not redirected may be among them
 * @param limited front ends that only some clients may use; what others send is dropped
 * @param localPods where pods of this node have their addresses, for {@link DropScope#ELSEWHERE};
 *     in ascending order
 * @param closed addresses of which all TCP and UDP ports that are no front end are refused
 */
public record RuleSet(
        SortedMap<FrontEnd, RedirectTarget> redirects,
        SortedSet<FrontEnd> refused,
        SortedMap<FrontEnd, DropScope> dropped,
        SortedMap<FrontEnd, SourceRanges> limited,
        List<Cidr> localPods,
        SortedSet<IpAddress> closed) {
    /** No rule at all. */
    public static final RuleSet EMPTY =
            new RuleSet(Collections.emptySortedMap(), Collections.emptySortedSet());

    public RuleSet {
        redirects = Collections.unmodifiableSortedMap(new TreeMap<>(redirects));
        refused = Collections.unmodifiableSortedSet(new TreeSet<>(refused));
        dropped = Collections.unmodifiableSortedMap(new TreeMap<>(dropped));
        limited = Collections.unmodifiableSortedMap(new TreeMap<>(limited));
        closed = Collections.unmodifiableSortedSet(new TreeSet<>(closed));
        // What no rule asks about must not make two sets differ.
        localPods = dropped.containsValue(DropScope.ELSEWHERE) ? List.copyOf(localPods) : List.of();
        for (FrontEnd frontEnd : refused) {
            if (!redirects.containsKey(frontEnd)) {
                throw new IllegalArgumentException(frontEnd + " is refused but not redirected");
            }
        }
    }

    /** Redirects and refusals, and every client may use every front end. */
    public RuleSet(SortedMap<FrontEnd, RedirectTarget> redirects, SortedSet<FrontEnd> refused) {
        this(
                redirects,
                refused,
                Collections.emptySortedMap(),
                Collections.emptySortedMap(),
                List.of(),
                Collections.emptySortedSet());
    }

    /** The front ends of one family. */
    RuleSet only(IpFamily family) {
        SortedSet<FrontEnd> refusedOfFamily = new TreeSet<>(refused);
        refusedOfFamily.removeIf(frontEnd -> frontEnd.address().family() != family);
        SortedSet<IpAddress> closedOfFamily = new TreeSet<>(closed);
        closedOfFamily.removeIf(address -> address.family() != family);
        return new RuleSet(
                only(family, redirects),
                refusedOfFamily,
                only(family, dropped),
                only(family, limited),
                localPods.stream().filter(pods -> pods.family() == family).toList(),
                closedOfFamily);
    }

    private static <T> SortedMap<FrontEnd, T> only(IpFamily family, Map<FrontEnd, T> all) {
        SortedMap<FrontEnd, T> ofFamily = new TreeMap<>(all);
        ofFamily.keySet().removeIf(frontEnd -> frontEnd.address().family() != family);
        return ofFamily;
    }
}
