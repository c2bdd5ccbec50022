package dev.sluice.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
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
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private record Before(List<String> targets) {}

    @Override
    public void beforeEach(ExtensionContext context) {
        Descriptors.warmUp();
        context.getStore(NAMESPACE).put("open", new Before(Descriptors.targets()));
    }

    @Override
    public void afterEach(ExtensionContext context) {
        List<String> before =
                context.getStore(NAMESPACE)
                        .getOrDefault("open", Before.class, new Before(List.of()))
                        .targets();
        await().atMost(PATIENCE)
                .untilAsserted(
                        () -> {
                            List<String> now = Descriptors.targets();
                            // Only if there are more: the JVM may replace one of its own.
                            if (now.size() > before.size()) {
                                assertThat(now)
                                        .as("open network descriptors after the test")
                                        .isSubsetOf(before);
                            }
                        });
    }
}
