package dev.sluice.redirect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.model.FrontEnd;
import dev.sluice.model.IpFamily;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class RuleSetTest {
    private static final FrontEnd WEB4 = Rules.tcp("10.96.0.1", 80);
    private static final FrontEnd WEB6 = Rules.tcp("fd00:96::1", 80);

    @Test
    void whatIsRefusedIsRedirectedAsWell() {
        assertThatThrownBy(() -> new RuleSet(Rules.redirect(WEB4, 20001), Rules.refused(WEB6)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(WEB6 + " is refused but not redirected");
    }

    @Test
    void eachFamilyKeepsItsOwn() {
        RuleSet both =
                new RuleSet(
                        new TreeMap<>(
                                Map.of(
                                        WEB4,
                                        RedirectTarget.port(20001),
                                        WEB6,
                                        RedirectTarget.port(20002))),
                        Rules.refused(WEB4, WEB6));

        assertThat(both.only(IpFamily.IPV4))
                .isEqualTo(new RuleSet(Rules.redirect(WEB4, 20001), Rules.refused(WEB4)));
        assertThat(both.only(IpFamily.IPV6))
                .isEqualTo(new RuleSet(Rules.redirect(WEB6, 20002), Rules.refused(WEB6)));
    }
}
