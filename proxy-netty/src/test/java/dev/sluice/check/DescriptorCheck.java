package dev.sluice.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * Fails a test that leaves more network descriptors open than it found, once its own
 * {@code @AfterEach} methods have run.
 *
 * <p>Threads: JUnit's.
 */
public final class DescriptorCheck implements BeforeEachCallback, AfterEachCallback {
    private static final Namespace NAMESPACE = Namespace.create(DescriptorCheck.class);
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    @Override
    public void beforeEach(ExtensionContext context) {
        Descriptors.warmUp();
        context.getStore(NAMESPACE).put("open", Descriptors.open());
    }

    @Override
    public void afterEach(ExtensionContext context) {
        int before = context.getStore(NAMESPACE).getOrDefault("open", Integer.class, 0);
        await().atMost(PATIENCE)
                .untilAsserted(
                        () ->
                                assertThat(Descriptors.open())
                                        .as("open network descriptors after the test")
                                        .isLessThanOrEqualTo(before));
    }
}
