package dev.sluice.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.cluster.Comparison.Subject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Clients of Sluice see what they would see of a healthy pod without a proxy; what those of
 * kube-proxy see is written down beside it, in {@code target/comparison.md}.
 */
@Tag("cluster")
@Timeout(900)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ComparisonIT {
    private final Comparison comparison = new Comparison();

    @ParameterizedTest
    @EnumSource(Subject.class)
    void theScript(Subject subject) throws Exception {
        Map<String, Observation> seen = comparison.play(subject);

        assertThat(seen).hasSize(Comparison.SCENARIOS.size());
        if (subject == Subject.SLUICE) {
            assertThat(seen)
                    .allSatisfy(
                            (title, observation) ->
                                    assertThat(observation.transparent())
                                            .as(title + ": " + observation.words())
                                            .isTrue());
        }
    }

    @AfterAll
    void writeTheTable() throws IOException {
        Files.writeString(Path.of("target", "comparison.md"), comparison.table());
    }
}
