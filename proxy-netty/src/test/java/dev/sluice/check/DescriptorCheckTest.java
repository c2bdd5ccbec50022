package dev.sluice.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.testkit.engine.EventConditions.event;
import static org.junit.platform.testkit.engine.EventConditions.finishedWithFailure;
import static org.junit.platform.testkit.engine.EventConditions.test;
import static org.junit.platform.testkit.engine.TestExecutionResultConditions.message;

import java.io.IOException;
import java.nio.channels.ServerSocketChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.platform.testkit.engine.EngineTestKit;

final class DescriptorCheckTest {
    /* Static, since the inner test's instance is out of reach. */
    private static final List<ServerSocketChannel> LEFT_OPEN = new ArrayList<>();

    @AfterEach
    void closeWhatTheInnerTestLeft() throws IOException {
        for (ServerSocketChannel channel : LEFT_OPEN) {
            channel.close();
        }
        LEFT_OPEN.clear();
    }

    @Test
    void failsTheTestThatLeavesASocketOpen() {
        Assumptions.assumeTrue(
                Descriptors.areListed(),
                "without /proc/self/fd no descriptor is counted: not tested");
        EngineTestKit.engine("junit-jupiter")
                .selectors(selectClass(Careless.class))
                .execute()
                .testEvents()
                .assertThatEvents()
                .haveExactly(
                        1,
                        event(
                                test("leavesASocketOpen"),
                                finishedWithFailure(message(text -> text.contains("descriptors")))))
                .haveExactly(0, event(test("closesItsSocket"), finishedWithFailure()));
        assertThat(LEFT_OPEN).hasSize(1);
    }

    @ExtendWith(DescriptorCheck.class)
    static final class Careless {
        @Test
        void leavesASocketOpen() throws IOException {
            LEFT_OPEN.add(ServerSocketChannel.open());
        }

        @Test
        void closesItsSocket() throws IOException {
            ServerSocketChannel.open().close();
        }
    }
}
