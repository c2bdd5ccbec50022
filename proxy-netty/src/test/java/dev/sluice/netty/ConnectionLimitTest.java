package dev.sluice.netty;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(30)
final class ConnectionLimitTest {
    @ParameterizedTest
    @CsvSource({
        // The reserve is a tenth, 128 at least; a connection has two descriptors.
        "1024, 0, 448",
        "1024, 100, 398",
        "1280, 0, 576",
        "1048576, 0, 471859",
        "256, 0, 64",
        "256, 1, 63",
        // Never less than one.
        "128, 0, 1",
        "64, 10, 1",
        "1024, 5000, 1",
        // No overflow where descriptors are unlimited.
        "9223372036854775807, 3, 2147483647",
    })
    void descriptorsCarryHalfAsManyConnections(long descriptors, int listeners, int max) {
        ConnectionLimit limit = new ConnectionLimit(OptionalInt.empty(), descriptors);
        limit.listeners(listeners);
        assertThat(limit.max()).isEqualTo(max);
    }

    @Test
    void theSmallerOfSettingAndDescriptorsCounts() {
        assertThat(new ConnectionLimit(OptionalInt.of(10), 1024).max()).isEqualTo(10);
        assertThat(new ConnectionLimit(OptionalInt.of(10_000), 1024).max()).isEqualTo(448);
    }

    @Test
    void whoIsRefusedIsNotCounted() {
        ConnectionLimit limit = new ConnectionLimit(OptionalInt.of(2), 1024);
        assertThat(limit.tryAcquire()).isTrue();
        assertThat(limit.tryAcquire()).isTrue();
        assertThat(limit.tryAcquire()).isFalse();
        assertThat(limit.active()).isEqualTo(2);
        limit.release();
        assertThat(limit.tryAcquire()).isTrue();
        assertThat(limit.active()).isEqualTo(2);
    }

    @Test
    void moreListenersLeaveRoomForFewerConnections() {
        ConnectionLimit limit = new ConnectionLimit(OptionalInt.empty(), 256);
        limit.listeners(124);
        assertThat(limit.max()).isEqualTo(2);
        limit.listeners(0);
        assertThat(limit.max()).isEqualTo(64);
    }

    @Test
    void whoWaitsIsWokenByTheLastRelease() throws Exception {
        ConnectionLimit limit = new ConnectionLimit(OptionalInt.of(2), 1024);
        assertThat(limit.awaitNone(Duration.ofHours(1))).isTrue();
        assertThat(limit.tryAcquire()).isTrue();
        assertThat(limit.tryAcquire()).isTrue();
        assertThat(limit.awaitNone(Duration.ZERO)).isFalse();
        CompletableFuture<Boolean> none =
                CompletableFuture.supplyAsync(
                        () -> {
                            try {
                                return limit.awaitNone(Duration.ofHours(1));
                            } catch (InterruptedException e) {
                                throw new AssertionError(e);
                            }
                        });
        limit.release();
        assertThat(none).isNotDone();
        limit.release();
        assertThat(none).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(true);
    }
}
