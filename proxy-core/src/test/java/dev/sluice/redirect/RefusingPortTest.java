package dev.sluice.redirect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.model.FrontEnd;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RefusingPortTest {
    private static final FrontEnd WEB4 = Rules.tcp("10.96.0.1", 80);
    private static final FrontEnd WEB6 = Rules.tcp("fd00:96::1", 80);
    private static final RuleSet RULES =
            new RuleSet(
                    new TreeMap<>(
                            Map.of(
                                    WEB4,
                                    RedirectTarget.port(20001),
                                    WEB6,
                                    RedirectTarget.port(20001))),
                    Rules.refused(WEB6));

    private final RefusingPort port = new RefusingPort();

    @AfterEach
    void release() {
        port.release();
    }

    @Test
    void onlyWhatIsRefusedLeadsThere() throws Exception {
        SortedMap<FrontEnd, RedirectTarget> destinations = port.destinations(RULES);

        assertThat(destinations).hasSize(2).containsEntry(WEB4, RedirectTarget.port(20001));
        assertThat(destinations.get(WEB6)).isNotEqualTo(RedirectTarget.port(20001));
        assertThat(port.destinations(RULES)).isEqualTo(destinations);
    }

    @Test
    void itRefusesConnectionsAndNobodyElseGetsIt() throws Exception {
        int number = port.destinations(RULES).getOrDefault(WEB6, RedirectTarget.port(1)).port();

        assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), number).close())
                .isInstanceOf(ConnectException.class)
                .hasMessageContaining("refused");
        assertThatThrownBy(() -> new ServerSocket(number).close())
                .isInstanceOf(BindException.class);

        port.release();
        new ServerSocket(number).close();
    }
}
