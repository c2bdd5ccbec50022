package dev.sluice.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ChangeGateTest {
    private final ChangeGate gate = new ChangeGate(Duration.ofMillis(600), "a");

    @Test
    void nothingIsReadWhileNothingChanges() {
        assertThat(look("a", 200)).isFalse();
        assertThat(look("a", 400)).isFalse();
    }

    @Test
    void aChangeIsReadOnceItRests() {
        assertThat(look("b", 200)).isFalse();
        assertThat(look("b", 400)).isTrue();
        assertThat(look("b", 600)).isFalse();
    }

    @Test
    void aWriterWhoNeverRestsIsReadNowAndThen() {
        assertThat(look("b", 200)).isFalse();
        assertThat(look("c", 400)).isFalse();
        assertThat(look("d", 600)).isFalse();
        assertThat(look("e", 800)).isTrue();
        assertThat(look("f", 1000)).isFalse();
        assertThat(look("f", 1200)).isTrue();
    }

    @Test
    void whatIsTakenBackIsNotRead() {
        assertThat(look("b", 200)).isFalse();
        assertThat(look("a", 400)).isFalse();
        assertThat(look("b", 900)).isFalse();
        assertThat(look("b", 1100)).isTrue();
    }

    @Test
    void theClockMayStartAnywhere() {
        assertThat(gate.shouldRead("b", Long.MAX_VALUE)).isFalse();
        assertThat(gate.shouldRead("c", Long.MIN_VALUE + 1_000_000)).isFalse();
        assertThat(gate.shouldRead("d", Long.MIN_VALUE + 600_000_000)).isTrue();
    }

    private boolean look(Object now, long millis) {
        return gate.shouldRead(now, Duration.ofMillis(millis).toNanos());
    }
}
