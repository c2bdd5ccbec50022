package dev.sluice.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class PortRangesTest {
    @Test
    void readsRangesAndSinglePorts() {
        PortRanges ranges = PortRanges.parse("30-32, 7");

        assertThat(ranges.ports()).containsExactly(30, 31, 32, 7);
        assertThat(ranges.contains(30)).isTrue();
        assertThat(ranges.contains(32)).isTrue();
        assertThat(ranges.contains(29)).isFalse();
        assertThat(ranges.contains(33)).isFalse();
        assertThat(ranges.contains(7)).isTrue();
    }

    @Test
    void writesWhatItReads() {
        assertThat(PortRanges.parse("30-32,7").toString()).isEqualTo("30-32,7");
        assertThat(PortRanges.parse("").ports()).isEmpty();
    }

    @Test
    void overlapIsFoundInAnyOrder() {
        assertThatThrownBy(() -> PortRanges.parse("50-60,10-20,15-16"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("port ranges 10-20 and 15-16 overlap");
    }
}
