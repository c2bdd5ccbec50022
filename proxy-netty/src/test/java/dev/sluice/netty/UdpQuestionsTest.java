package dev.sluice.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class UdpQuestionsTest {
    @Test
    void noMoreIsKeptThanThereIsRoomFor() {
        UdpQuestions questions = new UdpQuestions();
        ByteBuf question = ByteBufAllocator.DEFAULT.buffer().writeZero(UdpQuestions.LONGEST - 1);
        List<ByteBuf> kept = new ArrayList<>();
        for (ByteBuf copy = questions.keep(question);
                copy != null;
                copy = questions.keep(question)) {
            kept.add(copy);
        }
        assertThat(kept).hasSize(UdpQuestions.MOST_BYTES / (UdpQuestions.LONGEST - 1));

        questions.forget(kept.remove(0));
        ByteBuf again = questions.keep(question);
        assertThat(again).isEqualTo(question);
        assertThat(questions.keep(question)).isNull();

        kept.forEach(questions::forget);
        if (again != null) {
            questions.forget(again);
        }
        assertThat(question.refCnt()).isEqualTo(1);
        question.release();
    }

    @Test
    void aLongOneIsNotKept() {
        UdpQuestions questions = new UdpQuestions();
        ByteBuf question = ByteBufAllocator.DEFAULT.buffer().writeZero(UdpQuestions.LONGEST + 1);
        assertThat(questions.keep(question)).isNull();
        question.release();
    }
}
