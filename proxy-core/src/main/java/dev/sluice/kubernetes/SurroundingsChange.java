package dev.sluice.kubernetes;

import dev.sluice.model.FrontEnd;
import dev.sluice.model.IpAddress;
import dev.sluice.model.ServiceName;
import dev.sluice.model.ServicePortName;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Which Services may come out otherwise than before, since what is around them has changed: one
 * Service more or less concerns few others.
 *
 * <p>Immutable; any thread.
 *
 * @param everyone whether the node has changed, which concerns all
 * @param services those that got a front end or lost one, or have another conflict
 * @param addresses at which an endpoint began or ceased to lead back to the proxy
 */
record SurroundingsChange(boolean everyone, Set<ServiceName> services, Set<IpAddress> addresses) {
    static final SurroundingsChange NONE = new SurroundingsChange(false, Set.of(), Set.of());

    static SurroundingsChange between(Surroundings before, Surroundings after) {
        Set<ServiceName> services = new HashSet<>();
        Set<IpAddress> addresses = new HashSet<>();
        FrontEndClaims old = before.claims();
        FrontEndClaims now = after.claims();
        for (FrontEnd frontEnd : different(old.owners(), now.owners())) {
            addresses.add(frontEnd.address());
            for (FrontEndClaims claims : List.of(old, now)) {
                ServicePortName owner = claims.owners().get(frontEnd);
                if (owner != null) {
                    services.add(owner.service());
                }
            }
        }
        different(old.conflicts(), now.conflicts()).forEach(name -> services.add(name.service()));
        onlyInOne(old.unserved(), now.unserved()).forEach(name -> services.add(name.service()));
        services.addAll(different(old.healthChecks(), now.healthChecks()));
        addresses.addAll(onlyInOne(before.clusterIps(), after.clusterIps()));
        return new SurroundingsChange(!before.node().equals(after.node()), services, addresses);
    }

    /** Whether a Service that was placed before may have to be placed otherwise. */
    boolean concerns(ServiceName name, ParsedService service) {
        return everyone
                || services.contains(name)
                || service.candidates().values().stream()
                        .flatMap(List::stream)
                        .anyMatch(each -> addresses.contains(each.endpoint().address()));
    }

    private static <K, V> Set<K> different(Map<K, V> some, Map<K, V> others) {
        Set<K> keys = new HashSet<>();
        some.forEach(
                (key, value) -> {
                    if (!Objects.equals(value, others.get(key))) {
                        keys.add(key);
                    }
                });
        others.forEach(
                (key, value) -> {
                    if (!some.containsKey(key)) {
                        keys.add(key);
                    }
                });
        return keys;
    }

    private static <T> Set<T> onlyInOne(Set<T> some, Set<T> others) {
        Set<T> result = new HashSet<>();
        some.stream().filter(each -> !others.contains(each)).forEach(result::add);
        others.stream().filter(each -> !some.contains(each)).forEach(result::add);
        return result;
    }
}
