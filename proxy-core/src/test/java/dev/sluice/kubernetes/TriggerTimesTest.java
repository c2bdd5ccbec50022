package dev.sluice.kubernetes;

import static dev.sluice.kubernetes.KubernetesFixtures.ready;
import static dev.sluice.kubernetes.KubernetesFixtures.slice;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TriggerTimesTest {
    private static final String BEFORE = "2026-01-01T11:59:59Z";
    private static final String FIRST = "2026-01-01T12:00:01.5Z";
    private static final String SECOND = "2026-01-01T14:00:02+02:00";

    private final TriggerTimes times = new TriggerTimes(Instant.parse("2026-01-01T12:00:00Z"));

    @Test
    void eachChangeIsToldOnce() {
        times.look(List.of(changed("a", FIRST), changed("b", null)));
        assertThat(times.take()).containsExactly(Instant.parse("2026-01-01T12:00:01.500Z"));

        times.look(List.of(changed("a", FIRST), changed("b", null)));
        assertThat(times.take()).isEmpty();

        times.look(List.of(changed("a", SECOND), changed("b", FIRST)));
        assertThat(times.take())
                .containsExactlyInAnyOrder(
                        Instant.parse("2026-01-01T12:00:02Z"),
                        Instant.parse("2026-01-01T12:00:01.500Z"));
    }

    @Test
    void whatWasNotTakenIsKept() {
        times.look(List.of(changed("a", FIRST)));
        times.look(List.of(changed("a", SECOND)));

        assertThat(times.take()).hasSize(2);
    }

    @Test
    void timesBeforeTheStartAndOddOnesAreIgnored() {
        times.look(List.of(changed("a", BEFORE), changed("b", "yesterday"), changed("c", "")));
        EndpointSlice bare = changed("d", null);
        bare.setMetadata(null);
        times.look(List.of(bare));

        assertThat(times.take()).isEmpty();
    }

    private static EndpointSlice changed(String name, @Nullable String time) {
        EndpointSlice slice = slice(name, "web", ready("10.1.0.1"));
        if (time != null) {
            slice.getMetadata()
                    .setAnnotations(
                            Map.of("endpoints.kubernetes.io/last-change-trigger-time", time));
        }
        return slice;
    }
}
