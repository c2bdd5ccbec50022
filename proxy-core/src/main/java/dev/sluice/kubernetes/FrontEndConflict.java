package dev.sluice.kubernetes;

import dev.sluice.model.FrontEnd;
import dev.sluice.model.ServicePortName;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A front end that a Service port wants and another one has.
 *
 * <p>Immutable; any thread.
 */
record FrontEndConflict(FrontEnd frontEnd, ServicePortName owner) {

    /**
     * Decides which Service ports cannot be served. The older Service has the front end, as a new
     * one must not take traffic away by claiming an address; of the same age, the first by name.
     *
     * @param services in the order of their names
     * @return by the Service port that goes without
     */
    static Map<ServicePortName, FrontEndConflict> among(List<ServiceDefinition> services) {
        Map<FrontEnd, ServicePortName> owners = new HashMap<>();
        Map<ServicePortName, FrontEndConflict> conflicts = new HashMap<>();
        // A stable sort: those of the same age stay in the order of their names.
        for (ServiceDefinition service :
                services.stream()
                        .sorted(Comparator.comparing(ServiceDefinition::created))
                        .toList()) {
            for (ServiceDefinition.Port port : service.ports()) {
                ServicePortName name = service.portName(port);
                List<FrontEnd> wanted = service.frontEnds(port);
                @Nullable FrontEndConflict conflict = first(wanted, owners);
                if (conflict == null) {
                    wanted.forEach(frontEnd -> owners.put(frontEnd, name));
                } else {
                    conflicts.put(name, conflict);
                }
            }
        }
        return Map.copyOf(conflicts);
    }

    private static @Nullable FrontEndConflict first(
            List<FrontEnd> wanted, Map<FrontEnd, ServicePortName> owners) {
        for (FrontEnd frontEnd : wanted) {
            @Nullable ServicePortName owner = owners.get(frontEnd);
            if (owner != null) {
                return new FrontEndConflict(frontEnd, owner);
            }
        }
        return null;
    }
}
