package dev.sluice.redirect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.model.FrontEnd;
import dev.sluice.model.IpAddress;
import java.net.BindException;
import java.net.ConnectException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
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
        SortedMap<FrontEnd, RedirectTarget> destinations = redirects();

        assertThat(destinations).hasSize(2).containsEntry(WEB4, RedirectTarget.port(20001));
        assertThat(destinations.get(WEB6)).isNotEqualTo(RedirectTarget.port(20001));
        assertThat(redirects()).isEqualTo(destinations);
    }

    @Test
    void datagramsAreRefusedToEverybodyAndNobodyElseGetsTheirPort() throws Exception {
        IpAddress loopback = IpAddress.parse("127.0.0.1");
        RuleSet closing =
                new RuleSet(
                        new TreeMap<>(),
                        new TreeSet<>(),
                        new TreeMap<>(),
                        new TreeMap<>(),
                        List.of(),
                        new TreeSet<>(List.of(WEB4.address())));

        ClosedPorts closed = port.targets(closing, Optional.of(loopback)).closed().orElseThrow();

        assertThat(closed.addresses()).containsExactly(WEB4.address());
        InetSocketAddress udp =
                new InetSocketAddress(loopback.toInetAddress(), closed.udp().port());
        try (DatagramSocket client = new DatagramSocket()) {
            client.setSoTimeout(5000);
            client.connect(udp);
            client.send(new DatagramPacket(new byte[] {1}, 1));
            assertThatThrownBy(() -> client.receive(new DatagramPacket(new byte[1], 1)))
                    .isInstanceOf(PortUnreachableException.class);
        }
        assertThatThrownBy(() -> new DatagramSocket(udp).close()).isInstanceOf(BindException.class);
        assertThat(port.targets(closing, Optional.of(loopback)).closed()).hasValue(closed);
        assertThat(port.targets(closing, Optional.empty()).closed()).isEmpty();
        assertThat(port.targets(RULES, Optional.of(loopback)).closed()).isEmpty();

        port.release();
        new DatagramSocket(udp).close();
    }

    @Test
    void portsThatRulesLeadToAlreadyAreTakenAgainUnlessSomebodyElseHasThem() throws Exception {
        RefusingPort first = new RefusingPort();
        int free =
                first.targets(RULES, Optional.empty())
                        .redirects()
                        .getOrDefault(WEB6, RedirectTarget.port(1))
                        .port();
        first.release();
        port.prefer(saved(free));
        assertThat(redirects()).containsEntry(WEB6, RedirectTarget.port(free));

        RefusingPort second = new RefusingPort();
        second.prefer(saved(free));
        assertThat(second.targets(RULES, Optional.empty()).redirects().get(WEB6))
                .isNotEqualTo(RedirectTarget.port(free));
        second.release();
    }

    private static SavedTable saved(int tcp) {
        return SavedTable.parse(
                        """
                        *nat
                        :SLUICE-REFUSE - [0:0]
                        -A SLUICE-REFUSE -p tcp -j DNAT --to-destination 192.0.2.10:%d
                        COMMIT
                        """
                                .formatted(tcp))
                .getOrDefault("nat", SavedTable.EMPTY);
    }

    @Test
    void itRefusesConnectionsAndNobodyElseGetsIt() throws Exception {
        int number = redirects().getOrDefault(WEB6, RedirectTarget.port(1)).port();

        assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), number).close())
                .isInstanceOf(ConnectException.class)
                .hasMessageContaining("refused");
        assertThatThrownBy(() -> new ServerSocket(number).close())
                .isInstanceOf(BindException.class);

        port.release();
        new ServerSocket(number).close();
    }

    private SortedMap<FrontEnd, RedirectTarget> redirects() throws RedirectException {
        return port.targets(RULES, Optional.empty()).redirects();
    }
}
