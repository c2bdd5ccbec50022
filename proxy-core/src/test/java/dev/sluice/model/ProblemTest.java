package dev.sluice.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ProblemTest {

    @Test
    void isOneLineOfPlaceFieldValueAndRule() {
        assertThat(new Problem("Service default/web", "spec.ports[0].port", "0", "is wrong"))
                .hasToString("Service default/web: spec.ports[0].port '0' is wrong");
        assertThat(new Problem("web.yaml", "", "", "is wrong")).hasToString("web.yaml: is wrong");
    }

    @Test
    void noTextOfAnObjectBreaksTheLine() {
        Problem problem = new Problem("Service a\r\n/b", "x\u001b[1m", "1\n2", "is\twrong");

        assertThat(problem.toString()).doesNotContainPattern("\\p{Cntrl}");
    }

    @Test
    void keepsTheBeginningOfALongValue() {
        assertThat(new Problem("", "", "x".repeat(81), "").value()).isEqualTo("x".repeat(80) + "…");
        assertThat(new Problem("", "", "x".repeat(80), "").value()).isEqualTo("x".repeat(80));
    }
}
