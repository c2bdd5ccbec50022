package dev.sluice.check;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.testkit.engine.EventConditions.container;
import static org.junit.platform.testkit.engine.EventConditions.event;
import static org.junit.platform.testkit.engine.EventConditions.finishedWithFailure;
import static org.junit.platform.testkit.engine.TestExecutionResultConditions.instanceOf;
import static org.junit.platform.testkit.engine.TestExecutionResultConditions.message;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.junit.jupiter.api.Test;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;

final class LeakCheckTest {
    @Test
    void failsTheClassThatForgetsABuffer() {
        run(Forgetful.class)
                .containerEvents()
                .assertThatEvents()
                .haveExactly(
                        1,
                        event(
                                container(Forgetful.class),
                                finishedWithFailure(
                                        instanceOf(AssertionError.class),
                                        message(text -> text.contains("LEAK:")))));
    }

    @Test
    void passesTheClassThatReleasesIts() {
        run(Tidy.class).allEvents().assertStatistics(events -> events.failed(0));
    }

    private static EngineExecutionResults run(Class<?> testClass) {
        return EngineTestKit.engine("junit-jupiter")
                .configurationParameter("junit.jupiter.extensions.autodetection.enabled", "true")
                .selectors(selectClass(testClass))
                .execute();
    }

    static final class Forgetful {
        @Test
        void allocates() {
            ByteBuf forgotten = ByteBufAllocator.DEFAULT.directBuffer(16);
            forgotten.writeByte(1);
        }
    }

    static final class Tidy {
        @Test
        void allocatesAndReleases() {
            ByteBufAllocator.DEFAULT.directBuffer(16).writeByte(1).release();
        }
    }
}
