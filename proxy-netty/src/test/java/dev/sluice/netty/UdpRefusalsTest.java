package dev.sluice.netty;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.Endpoint;
import dev.sluice.model.IpAddress;
import org.junit.jupiter.api.Test;

class UdpRefusalsTest {
    private static final Endpoint A = new Endpoint(IpAddress.parse("10.1.0.1"), 53);
    private static final Endpoint B = new Endpoint(IpAddress.parse("10.1.0.2"), 53);

    private static final long START = System.nanoTime();

    private final UdpRefusals refusals = new UdpRefusals();

    @Test
    void aRefusalIsRememberedForTwoSecondsOrUntilAnAnswer() {
        assertThat(refusals.refused(A, START)).isTrue();
        assertThat(refusals.refused(A, START)).isFalse();

        assertThat(refusals.isRecent(A, START)).isTrue();
        assertThat(refusals.isRecent(A, START + UdpRefusals.MEMORY_NANOS - 1)).isTrue();
        assertThat(refusals.isRecent(A, START + UdpRefusals.MEMORY_NANOS)).isFalse();
        assertThat(refusals.isRecent(B, START)).isFalse();
        refusals.answered(A);
        assertThat(refusals.isRecent(A, START)).isFalse();
    }

    @Test
    void whoHeardFromItSinceStays() {
        refusals.refused(A, START);

        assertThat(refusals.isRecentSince(A, START - 1, START + 2000)).isTrue();
        assertThat(refusals.isRecentSince(A, START, START + 2000)).isFalse();
        assertThat(refusals.isRecentSince(A, START + 1500, START + 2000)).isFalse();
        assertThat(refusals.isRecentSince(B, START - 1, START)).isFalse();
    }

    @Test
    void theNumberIsBounded() {
        for (int port = 1; port <= 5000; port++) {
            refusals.refused(new Endpoint(IpAddress.parse("10.1.0.3"), port), START);
        }

        assertThat(refusals.isRecent(new Endpoint(IpAddress.parse("10.1.0.3"), 5000), START))
                .isTrue();
        assertThat(refusals.isRecent(new Endpoint(IpAddress.parse("10.1.0.3"), 3000), START))
                .isFalse();
    }
}
