package dev.sluice.kubernetes;

import dev.sluice.kubernetes.ServiceDefinition.Port;
import dev.sluice.model.Protocol;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.fabric8.kubernetes.api.model.ServiceSpec;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checks {@code spec.ports} of a Service. A port that is wrong is left out alone.
 *
 * <p>Stateless; any thread.
 */
final class ServicePortsReader {
    private ServicePortsReader() {}

    static List<Port> read(ServiceSpec spec, ObjectProblems problems) {
        List<ServicePort> all = FieldRules.orEmpty(spec.getPorts());
        if (all.isEmpty()) {
            problems.add("spec.ports", null, "is missing");
        }
        List<Port> served = new ArrayList<>();
        Set<PortKey> names = new HashSet<>();
        for (int i = 0; i < all.size(); i++) {
            @Nullable ServicePort port = all.get(i);
            String field = "spec.ports[" + i + "]";
            if (port == null) {
                problems.add(field, null, "is missing");
                continue;
            }
            Optional<PortKey> key = key(field, port, all.size(), problems);
            if (key.isPresent() && !names.add(key.get())) {
                problems.add(field + ".name", port.getName(), "is the name of another port, too");
                continue;
            }
            Optional<Integer> number = FieldRules.port(field + ".port", port.getPort(), problems);
            if (key.isPresent()
                    && number.isPresent()
                    && isServed(field, key.get().protocol(), problems)) {
                // The field decides, not the type: a load balancer's Service may have none.
                int nodePort =
                        FieldRules.optionalPort(field + ".nodePort", port.getNodePort(), problems);
                served.add(new Port(i, key.get(), number.get(), nodePort));
            }
        }
        return served;
    }

    private static Optional<PortKey> key(
            String field, ServicePort port, int ports, ObjectProblems problems) {
        Optional<Protocol> protocol =
                FieldRules.protocol(field + ".protocol", port.getProtocol(), problems);
        String name = Objects.requireNonNullElse(port.getName(), "");
        if (name.isEmpty() && ports > 1) {
            problems.add(field + ".name", null, "is missing; with more than one port each has one");
            return Optional.empty();
        }
        if (!name.isEmpty() && FieldRules.label(field + ".name", name, problems).isEmpty()) {
            return Optional.empty();
        }
        return protocol.map(known -> new PortKey(name, known));
    }

    /** The one place that says which protocols the proxy carries. */
    private static boolean isServed(String field, Protocol protocol, ObjectProblems problems) {
        return switch (protocol) {
            case TCP, UDP -> true;
            case SCTP -> {
                problems.add(field + ".protocol", protocol, "is not proxied");
                yield false;
            }
        };
    }
}
