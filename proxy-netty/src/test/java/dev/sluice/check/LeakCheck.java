package dev.sluice.check;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;

/**
 * Fails a test class in whose time Netty's leak detector reported a buffer that nobody released.
 * Registered for all test classes through {@code META-INF/services}; leak detection is set to
 * {@code paranoid} by the build.
 *
 * <p>Threads: JUnit's; reports come from any thread.
 */
public final class LeakCheck implements BeforeAllCallback, AfterAllCallback {
    private static final String NAME = "leak-check";

    /* The garbage collector hands over dead references some time after it has found them. */
    private static final int FLUSHES = 5;
    private static final int FLUSH_MILLIS = 10;

    @Override
    public void beforeAll(ExtensionContext context) {
        reports();
    }

    @Override
    public void afterAll(ExtensionContext context) throws InterruptedException {
        List<String> leaks = flush();
        if (!leaks.isEmpty()) {
            throw new AssertionError(
                    leaks.size() + " leak reports by Netty:\n" + String.join("\n", leaks));
        }
    }

    /* The detector reports what the collector found when the next buffer is allocated. */
    private static List<String> flush() throws InterruptedException {
        System.gc();
        for (int i = 0; i < FLUSHES; i++) {
            Thread.sleep(FLUSH_MILLIS);
            ByteBufAllocator.DEFAULT.directBuffer(1).release();
        }
        return reports().drain();
    }

    /* Kept by the logger, so that a test engine started by a test shares it and each report is
     * counted once, by the innermost class. */
    private static Reports reports() {
        Logger logger = (Logger) LoggerFactory.getLogger(ResourceLeakDetector.class);
        if (logger.getAppender(NAME) instanceof Reports reports) {
            return reports;
        }
        Reports reports = new Reports();
        reports.setName(NAME);
        reports.setContext(logger.getLoggerContext());
        reports.start();
        logger.addAppender(reports);
        return reports;
    }

    private static final class Reports extends AppenderBase<ILoggingEvent> {
        private final Queue<String> messages = new ConcurrentLinkedQueue<>();

        @Override
        protected void append(ILoggingEvent event) {
            String message = event.getFormattedMessage();
            if (message.startsWith("LEAK:")) {
                messages.add(message);
            }
        }

        List<String> drain() {
            List<String> drained = new ArrayList<>();
            for (String next = messages.poll(); next != null; next = messages.poll()) {
                drained.add(next);
            }
            return drained;
        }
    }
}
