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
import java.util.Set;
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
    void f11ReadsConditionsWithTheirDefaults(
            Boolean ready, Boolean serving, Boolean terminating, State state) {
        assertThat(State.of(new EndpointConditions(ready, serving, terminating))).isEqualTo(state);
    }

    @Test
    void absentConditionsMeanReady() {
        assertThat(State.of(null)).isEqualTo(READY);
    }

    @Test
    void f11UsesReadyOnesOnlyWhileThereAreAny() {
        assertThat(
                        eligible(
                                at("10.0.0.2", READY),
                                at("10.0.0.1", SERVING_TERMINATING),
                                at("10.0.0.3", UNUSABLE)))
                .containsExactly("10.0.0.2:80");
    }

    @Test
    void f11FallsBackToThoseThatStillServe() {
        assertThat(
                        eligible(
                                at("10.0.0.2", SERVING_TERMINATING),
                                at("10.0.0.1", SERVING_TERMINATING),
                                at("10.0.0.3", UNUSABLE)))
                .containsExactly("10.0.0.1:80", "10.0.0.2:80");
        assertThat(eligible(at("10.0.0.3", UNUSABLE))).isEmpty();
    }

    @Test
    void f15DecidesForEachFamily() {
        assertThat(
                        eligible(
                                at("fd00::1", READY),
                                at("fd00::2", SERVING_TERMINATING),
                                at("10.0.0.1", SERVING_TERMINATING)))
                .containsExactly("10.0.0.1:80", "[fd00::1]:80");
    }

    @Test
    void f23AReadyPodIsUsedThoughAGhostHasItsAddress() {
        assertThat(eligible(at("10.0.0.1", SERVING_TERMINATING), at("10.0.0.1", READY)))
                .containsExactly("10.0.0.1:80");
        assertThat(
                        eligible(
                                at("10.0.0.1", UNUSABLE),
                                at("10.0.0.1", READY),
                                at("10.0.0.2", SERVING_TERMINATING)))
                .containsExactly("10.0.0.1:80");
    }

    @Test
    void f23ADuplicateIsLocalIfAnySliceSaysSo() {
        EligibleEndpoints merged =
                EligibleEndpoints.of(
                        List.of(
                                at("10.0.0.1", READY),
                                on("a", "10.0.0.1", UNUSABLE),
                                on("b", "10.0.0.2", READY)),
                        NODE);

        assertThat(merged.local()).asString().isEqualTo("[10.0.0.1:80]");
        assertThat(merged.readyOnNode()).containsExactly(IpAddress.parse("10.0.0.1"));
    }

    @Test
    void f23ADuplicateHasTheHintsOfTheBest() {
        EndpointCandidate best = hinted("10.0.0.1", READY, "z1");
        EndpointCandidate stale = hinted("10.0.0.1", UNUSABLE, "z2");
        EndpointCandidate other = hinted("10.0.0.2", READY, "z2");

        assertThat(eligible(stale, other, best)).containsExactly("10.0.0.1:80");
        assertThat(eligible(best, other, stale)).containsExactly("10.0.0.1:80");
    }

    @Test
    void f23EquallyGoodDuplicatesAreForAllThatOneOfThemNames() {
        EndpointCandidate here = hinted("10.0.0.1", READY, "z1");
        EndpointCandidate there = hinted("10.0.0.1", READY, "z2");
        EndpointCandidate anywhere = at("10.0.0.1", READY);
        EndpointCandidate other = hinted("10.0.0.2", READY, "z2");

        assertThat(eligible(there, other, here)).containsExactly("10.0.0.1:80");
        assertThat(eligible(there, other, here, anywhere))
                .containsExactly("10.0.0.1:80", "10.0.0.2:80");
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
        assertThat(EligibleEndpoints.of(shuffled, NODE).local())
                .isEqualTo(EligibleEndpoints.of(candidates, NODE).local());
        assertThat(EligibleEndpoints.of(shuffled, NODE).readyOnNode())
                .isEqualTo(EligibleEndpoints.of(candidates, NODE).readyOnNode());
    }

    @Provide
    Arbitrary<List<EndpointCandidate>> candidates() {
        Arbitrary<String> addresses =
                Arbitraries.of("10.0.0.1", "10.0.0.2", "10.0.0.3", "fd00::1", "fd00::2");
        Arbitrary<Set<String>> names = Arbitraries.of("a", "b", "z1", "z2").set().ofMaxSize(2);
        Arbitrary<EndpointTopology> topologies =
                Combinators.combine(Arbitraries.of("", "a", "b"), names, names)
                        .as(EndpointTopology::new);
        return Combinators.combine(addresses, Arbitraries.of(State.class), topologies)
                .as(
                        (address, state, topology) ->
                                new EndpointCandidate(
                                        new Endpoint(IpAddress.parse(address), 80),
                                        state,
                                        topology))
                .list()
                .ofMaxSize(12);
    }

    private static EndpointCandidate at(String address, State state) {
        return new EndpointCandidate(
                new Endpoint(IpAddress.parse(address), 80), state, EndpointTopology.onNode(null));
    }

    private static EndpointCandidate on(String node, String address, State state) {
        return new EndpointCandidate(
                at(address, state).endpoint(), state, EndpointTopology.onNode(node));
    }

    private static EndpointCandidate hinted(String address, State state, String zone) {
        return new EndpointCandidate(
                at(address, state).endpoint(),
                state,
                new EndpointTopology("", Set.of(), Set.of(zone)));
    }

    private static List<String> eligible(EndpointCandidate... candidates) {
        return EligibleEndpoints.of(List.of(candidates), NODE).cluster().stream()
                .map(Endpoint::toString)
                .toList();
    }
}
