package dev.sluice.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** On the clock of a channel that stands still unless it is moved. */
class RequestTimerTest {
    private final Set<Channel> idle = new LinkedHashSet<>();
    private final RequestTimer timer =
            new RequestTimer(
                    new RequestTimer.Limits(
                            Duration.ofSeconds(5), Duration.ofSeconds(30), Duration.ofSeconds(60)),
                    idle);
    private final EmbeddedChannel channel = new EmbeddedChannel();

    @BeforeEach
    void begin() {
        channel.freezeTime();
        channel.pipeline().addLast(timer);
        channel.pipeline().fireChannelActive();
    }

    @AfterEach
    void end() {
        channel.finishAndReleaseAll();
    }

    private void pass(int seconds) {
        channel.advanceTimeBy(seconds, TimeUnit.SECONDS);
        channel.runScheduledPendingTasks();
    }

    private void oneByte() {
        channel.writeInbound(Unpooled.wrappedBuffer(new byte[] {'G'}));
    }

    @Test
    void aRequestSentByteByByteIsNotWaitedForLongerThanAnother() {
        for (int i = 0; i < 4; i++) {
            pass(1);
            oneByte();
        }
        assertThat(channel.isOpen()).isTrue();
        pass(1);
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void theNextRequestIsTimedFromItsFirstByte() {
        timer.requested();
        timer.replied();
        pass(59);
        oneByte();
        pass(4);
        assertThat(channel.isOpen()).isTrue();
        pass(1);
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void anIdleConnectionEnds() {
        timer.requested();
        timer.replied();
        pass(60);
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void aConnectionIsIdleFromItsReplyToTheNextByte() {
        assertThat(idle).isEmpty();
        oneByte();
        timer.requested();
        assertThat(idle).isEmpty();
        timer.replied();
        assertThat(idle).containsExactly(channel);
        oneByte();
        assertThat(idle).isEmpty();
    }

    @Test
    void aConnectionWhoseNextRequestHadComeAlreadyIsNotIdle() {
        timer.requested();
        timer.replied();
        timer.requested();
        assertThat(idle).isEmpty();
    }

    @Test
    void aConnectionThatHasEndedIsNotIdle() {
        timer.requested();
        timer.replied();
        channel.close().syncUninterruptibly();
        channel.runPendingTasks();
        assertThat(idle).isEmpty();
    }

    @Test
    void aClientThatDoesNotTakeItsReplyLosesIt() {
        timer.requested();
        pass(29);
        assertThat(channel.isOpen()).isTrue();
        pass(1);
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void aClientThatDoesNotEndAfterTheLastReplyIsEnded() {
        timer.requested();
        timer.ended();
        pass(5);
        assertThat(channel.isOpen()).isFalse();
    }
}
