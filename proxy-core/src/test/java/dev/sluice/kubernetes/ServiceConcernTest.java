package dev.sluice.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.sluice.control.ReconcileStatus;
import dev.sluice.kubernetes.ServiceConcern.Reason;
import dev.sluice.model.Problem;
import dev.sluice.model.Protocol;
import dev.sluice.model.ServiceName;
import dev.sluice.model.ServicePortName;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ServiceConcernTest {
    private static final ServiceName WEB = new ServiceName("default", "web");
    private static final ServiceName API = new ServiceName("default", "api");
    private static final ServicePortName HTTP =
            ServicePortName.of("default", "web", "http", Protocol.TCP);

    private static ReconcileStatus status(
            List<Problem> problems, Map<ServicePortName, String> ports) {
        return new ReconcileStatus(
                true,
                problems,
                new TreeMap<>(ports),
                new TreeMap<>(Map.of(API, "192.0.2.1:32000 is taken")),
                Optional.empty(),
                true,
                Map.of());
    }

    @Test
    void whatConcernsAServiceIsToldByReasonAndAllElseIsNot() {
        Problem object = new Problem("Service default/web", "spec.ports[0].port", "0", "is wrong");
        Problem slice = new Problem("EndpointSlice default/web-1", "ports", "", "is missing");
        Problem node = new Problem("Node a", "spec.podCIDRs", "", "is missing");

        assertThat(
                        ServiceConcern.in(
                                status(
                                        List.of(object.of(WEB), slice.of(WEB), node),
                                        Map.of(HTTP, "192.0.2.1:30080 is taken"))))
                .containsExactly(
                        entry(
                                new ServiceConcern(API, Reason.HEALTH_CHECK),
                                "192.0.2.1:32000 is taken"),
                        entry(
                                new ServiceConcern(WEB, Reason.PORT),
                                "default/web:http/tcp: 192.0.2.1:30080 is taken"),
                        entry(
                                new ServiceConcern(WEB, Reason.OBJECT),
                                "Service default/web: spec.ports[0].port '0' is wrong;"
                                        + " EndpointSlice default/web-1: ports is missing"));
    }

    /** 1024 bytes, which the last whole character may miss. */
    @ParameterizedTest
    @ValueSource(strings = {"x", "ü", "€", "𝄞"})
    void aNoteIsCutToWhatTheApiTakesBetweenTwoCharacters(String character) {
        List<Problem> many =
                Stream.generate(() -> new Problem("", "", character.repeat(40), "").of(WEB))
                        .limit(1000)
                        .toList();

        String note =
                ServiceConcern.in(status(many, Map.of()))
                        .get(new ServiceConcern(WEB, Reason.OBJECT));

        assertThat(note).endsWith("…").doesNotContain("\uFFFD");
        assertThat(String.valueOf(note).getBytes(StandardCharsets.UTF_8).length)
                .isBetween(1020, 1024);
    }
}
