package dev.sluice.kubernetes;

import dev.sluice.model.Problem;
import dev.sluice.model.ServiceName;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the objects of one Service say, whatever other Services there are.
 *
 * <p>Immutable; any thread.
 *
 * @param where how problems name the Service
 * @param definition empty if the Service is not served
 * @param candidates for each port of the definition
 */
record ParsedService(
        String where,
        Optional<ServiceDefinition> definition,
        Map<PortKey, List<EndpointCandidate>> candidates,
        List<Problem> problems) {
    private static final Logger logger = LoggerFactory.getLogger(ParsedService.class);

    static ParsedService of(
            ServiceObjects objects,
            ServiceRules rules,
            Function<? super HasMetadata, String> where) {
        String name = where.apply(objects.service());
        try {
            return parse(objects, rules, name, where);
        } catch (RuntimeException e) {
            // Everything that objects were seen to contain is checked; what was not foreseen must
            // not keep the other Services from their changes.
            logger.error("{} could not be read; the other Services are served", name, e);
            Problem problem =
                    new Problem(name, "", "", "could not be read: " + e).of(objects.name());
            return new ParsedService(name, Optional.empty(), Map.of(), List.of(problem));
        }
    }

    private static ParsedService parse(
            ServiceObjects objects,
            ServiceRules rules,
            String name,
            Function<? super HasMetadata, String> where) {
        ObjectProblems own = new ObjectProblems(name);
        Optional<ServiceDefinition> definition =
                ServiceReader.read(objects.service(), objects.name(), rules, own);
        List<Problem> problems = new ArrayList<>(own.list());
        if (definition.isEmpty()) {
            return new ParsedService(name, definition, Map.of(), of(objects.name(), problems));
        }
        List<PortKey> keys = definition.get().ports().stream().map(port -> port.key()).toList();
        CandidatesByPort candidates = new CandidatesByPort(keys);
        objects.slices()
                .forEach(
                        slice -> {
                            ObjectProblems found = new ObjectProblems(where.apply(slice));
                            EndpointSliceReader.read(slice, rules.loopback(), candidates, found);
                            problems.addAll(found.list());
                        });
        objects.endpoints()
                .forEach(
                        endpoints -> {
                            ObjectProblems found = new ObjectProblems(where.apply(endpoints));
                            EndpointsReader.read(endpoints, rules.loopback(), candidates, found);
                            problems.addAll(found.list());
                        });
        Map<PortKey, List<EndpointCandidate>> byPort = new HashMap<>();
        keys.forEach(key -> byPort.put(key, candidates.of(key)));
        return new ParsedService(
                name, definition, Map.copyOf(byPort), of(objects.name(), problems));
    }

    private static List<Problem> of(ServiceName service, List<Problem> problems) {
        return problems.stream().map(problem -> problem.of(service)).toList();
    }

    List<EndpointCandidate> candidatesOf(ServiceDefinition.Port port) {
        return candidates.getOrDefault(port.key(), List.of());
    }
}
