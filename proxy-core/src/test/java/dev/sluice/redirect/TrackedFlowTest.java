package dev.sluice.redirect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.FrontEnd;
import dev.sluice.model.IpAddress;
import dev.sluice.model.Protocol;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TrackedFlowTest {
    private static final FrontEnd DNS =
            new FrontEnd(IpAddress.parse("10.96.0.10"), 53, Protocol.UDP);

    @Test
    void anEntryThatIsLedAwayTellsWhereTo() {
        TrackedFlow flow =
                TrackedFlow.parse(
                                "udp      17 29 src=10.1.0.2 dst=10.96.0.10 sport=40000 dport=53"
                                        + " [UNREPLIED] src=192.0.2.10 dst=10.1.0.2 sport=20001"
                                        + " dport=40000 mark=0 use=1")
                        .orElseThrow();

        assertThat(flow.asked()).isEqualTo(DNS);
        assertThat(flow.isDirect()).isFalse();
        assertThat(flow.leadsTo(RedirectTarget.socket(IpAddress.parse("192.0.2.10"), 20001)))
                .isTrue();
        assertThat(flow.leadsTo(RedirectTarget.socket(IpAddress.parse("192.0.2.11"), 20001)))
                .isFalse();
        assertThat(flow.leadsTo(RedirectTarget.port(20002))).isFalse();
    }

    @Test
    void anEntryThatNoRuleSawIsDirect() {
        TrackedFlow flow =
                TrackedFlow.parse(
                                "tcp      6 119 SYN_SENT src=fd01::2 dst=fd00:96::1 sport=40000"
                                        + " dport=80 [UNREPLIED] src=fd00:96::1 dst=fd01::2 sport=80"
                                        + " dport=40000 mark=0 use=1")
                        .orElseThrow();

        assertThat(flow.isDirect()).isTrue();
        assertThat(flow.asked()).hasToString("[fd00:96::1]:80/tcp");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "conntrack v1.4.7 (conntrack-tools): 2 flow entries have been shown.",
                "icmp     1 29 src=10.1.0.2 dst=10.1.0.1 type=8 code=0 id=1 src=10.1.0.1 dst=10.1.0.2",
                "udp      17 29 src=10.1.0.2 dst=10.96.0.10 sport=40000 dport=53",
                "udp      17 29 src=10.1.0.2 dst=x sport=1 dport=53 src=x dst=10.1.0.2 sport=53 dport=1",
                "udp      17 29 src=10.1.0.2 dst=10.96.0.10 sport=1 dport=0 src=10.96.0.10 dst=10.1.0.2 sport=0 dport=1",
                "udp      17 29 src=10.1.0.2 dst=10.96.0.10 sport=1 dport= src=10.96.0.10 dst=10.1.0.2 sport=0 dport=1",
            })
    void anyOtherLineIsNone(String line) {
        assertThat(TrackedFlow.parse(line)).isEmpty();
    }
}
