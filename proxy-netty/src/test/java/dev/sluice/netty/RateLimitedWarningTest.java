package dev.sluice.netty;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

final class RateLimitedWarningTest {
    /* Near the overflow, which System.nanoTime may be at any time. */
    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5);
    private final RateLimitedWarning warning =
            new RateLimitedWarning(LoggerFactory.getLogger(RateLimitedWarningTest.class), now::get);

    private void advance(Duration time) {
        now.addAndGet(time.toNanos());
    }

    @Test
    void aFloodIsOneLineEachTenSeconds() {
        try (CapturedLog log = new CapturedLog(RateLimitedWarningTest.class)) {
            for (int i = 0; i < 3; i++) {
                warning.warn("the {} one", "first");
                warning.warn("the {} one", "second");
                advance(Duration.ofSeconds(10).minusNanos(1));
                warning.warn("the {} one", "third");
                advance(Duration.ofNanos(1));
            }
            assertThat(log.lines())
                    .containsExactly(
                            "WARN the first one", "WARN the first one", "WARN the first one");
        }
    }
}
