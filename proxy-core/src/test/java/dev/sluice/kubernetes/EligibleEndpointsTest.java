package dev.sluice.kubernetes;

import static dev.sluice.kubernetes.EndpointCandidate.State.READY;
import static dev.sluice.kubernetes.EndpointCandidate.State.SERVING_TERMINATING;
import static dev.sluice.kubernetes.EndpointCandidate.State.UNUSABLE;
import static dev.sluice.kubernetes.KubernetesFixtures.NODE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.kubernetes.EndpointCandidate.State;
import dev.sluice.model.Endpoint;
import dev.sluice.model.IpAddress;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointConditions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EligibleEndpointsTest {

    @ParameterizedTest
    @CsvSource({
        "     ,      ,      , READY",
        "true ,      ,      , READY",
        "true , true , true , READY",
        "true , false, true , READY",
        "     ,      , true , READY",
        "false,      ,      , UNUSABLE",
        "false, true ,      , UNUSABLE",
        "false, true , false, UNUSABLE",
        "false,      , true , UNUSABLE",
        "false, false, true , UNUSABLE",
        "false, true , true , SERVING_TERMINATING",
    })
    void readsConditionsWithTheirDefaults(
            Boolean ready, Boolean serving, Boolean terminating, State state) {
        assertThat(State.of(new EndpointConditions(ready, serving, terminating))).isEqualTo(state);
    }

    @Test
    void absentConditionsMeanReady() {
        assertThat(State.of(null)).isEqualTo(READY);
    }

    @Test
    void usesReadyOnesOnlyWhileThereAreAny() {
        assertThat(
                        eligible(
                                at("10.0.0.2", READY),
                                at("10.0.0.1", SERVING_TERMINATING),
                                at("10.0.0.3", UNUSABLE)))
                .containsExactly("10.0.0.2:80");
    }

    @Test
    void fallsBackToThoseThatStillServe() {
        assertThat(
                        eligible(
                                at("10.0.0.2", SERVING_TERMINATING),
                                at("10.0.0.1", SERVING_TERMINATING),
                                at("10.0.0.3", UNUSABLE)))
                .containsExactly("10.0.0.1:80", "10.0.0.2:80");
        assertThat(eligible(at("10.0.0.3", UNUSABLE))).isEmpty();
    }

    @Test
    void decidesForEachFamily() {
        assertThat(
                        eligible(
                                at("fd00::1", READY),
                                at("fd00::2", SERVING_TERMINATING),
                                at("10.0.0.1", SERVING_TERMINATING)))
                .containsExactly("10.0.0.1:80", "[fd00::1]:80");
    }

    @Test
    void aReadyPodIsUsedThoughAGhostHasItsAddress() {
        assertThat(eligible(at("10.0.0.1", SERVING_TERMINATING), at("10.0.0.1", READY)))
                .containsExactly("10.0.0.1:80");
        assertThat(
                        eligible(
                                at("10.0.0.1", UNUSABLE),
                                at("10.0.0.1", READY),
                                at("10.0.0.2", SERVING_TERMINATING)))
                .containsExactly("10.0.0.1:80");
    }

    @Property
    void theOrderOfCandidatesDoesNotMatter(
            @ForAll("candidates") List<EndpointCandidate> candidates, @ForAll long seed) {
        List<EndpointCandidate> shuffled = new ArrayList<>(candidates);
        Collections.shuffle(shuffled, new Random(seed));

        assertThat(EligibleEndpoints.of(shuffled, NODE).cluster())
                .isEqualTo(EligibleEndpoints.of(candidates, NODE).cluster())
                .doesNotHaveDuplicates()
                .isSorted();
    }

    @Provide
    Arbitrary<List<EndpointCandidate>> candidates() {
        Arbitrary<String> addresses =
                Arbitraries.of("10.0.0.1", "10.0.0.2", "10.0.0.3", "fd00::1", "fd00::2");
        return Combinators.combine(addresses, Arbitraries.of(State.class))
                .as(EligibleEndpointsTest::at)
                .list()
                .ofMaxSize(12);
    }

    private static EndpointCandidate at(String address, State state) {
        return new EndpointCandidate(
                new Endpoint(IpAddress.parse(address), 80), state, EndpointTopology.NONE);
    }

    private static List<String> eligible(EndpointCandidate... candidates) {
        return EligibleEndpoints.of(List.of(candidates), NODE).cluster().stream()
                .map(Endpoint::toString)
                .toList();
    }
}
