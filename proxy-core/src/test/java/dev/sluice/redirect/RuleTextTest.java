package dev.sluice.redirect;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RuleTextTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            textBlock =
                    """
                    -j SLUICE-REDIRECT                            | SLUICE-REDIRECT
                    -i eth0 -g SLUICE-DNAT                        | SLUICE-DNAT
                    --jump SLUICE-DNAT                            | SLUICE-DNAT
                    -m comment --comment "-j SLUICE-X" -j ACCEPT  | ACCEPT
                    -m comment --comment "a \\" -j Z" -j RETURN   | RETURN
                    """)
    void theTargetIsTheWordAfterTheJumpOutsideQuotes(String rule, String target) {
        assertThat(RuleText.target(rule)).isEqualTo(target);
    }

    @Test
    void aRuleThatOnlyCountsHasNoTarget() {
        assertThat(RuleText.target("-p tcp -m tcp --dport 80")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            textBlock =
                    """
                    -d 10.96.0.1/32 -p tcp -m tcp --dport 80 -j X | -p tcp -d 10.96.0.1/32 -m tcp --dport 80 -j X
                    -d 10.96.0.1/32 -p tcp -m tcp --dport 80 -j X | -d 10.96.0.1/32 -p tcp --dport 80 -j X
                    -j X                                          | -m comment --comment "why so" -j X
                    -d ::102:304/128 -j X                         | -d ::1.2.3.4/128 -j X
                    -j DNAT --to-destination [::102:304]:80       | -j DNAT --to-destination [::1.2.3.4]:80
                    """)
    void aRuleIsTheSameHoweverItIsWritten(String one, String other) {
        assertThat(RuleText.equivalent(one, other)).isTrue();
        assertThat(RuleText.equivalent(other, one)).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            textBlock =
                    """
                    -j X                                          | -j Y
                    -i eth0 -j X                                  | -j X
                    -i eth0 -j X                                  | ! -i eth0 -j X
                    -d 10.96.0.1/32 -j X                          | -s 10.96.0.1/32 -j X
                    -p tcp -m tcp --dport 80 -j X                 | -p tcp -m tcp --dport 81 -j X
                    -p tcp -m tcp --dport 80 -j X                 | -p tcp -m tcp --dport 80 -m mark --mark 0x1 -j X
                    """)
    void anythingThatChangesTheMeaningIsADifference(String one, String other) {
        assertThat(RuleText.equivalent(one, other)).isFalse();
        assertThat(RuleText.equivalent(other, one)).isFalse();
    }
}
