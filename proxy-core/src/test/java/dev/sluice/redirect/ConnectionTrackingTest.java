package dev.sluice.redirect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.model.FrontEnd;
import dev.sluice.model.IpAddress;
import dev.sluice.model.IpFamily;
import dev.sluice.model.Protocol;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is done about the answers of conntrack, which are played. */
class ConnectionTrackingTest {
    private static final FrontEnd DNS =
            new FrontEnd(IpAddress.parse("10.96.0.10"), 53, Protocol.UDP);
    private static final NatTargets RULES =
            new NatTargets(
                    new TreeMap<>(
                            Map.of(
                                    DNS,
                                    RedirectTarget.socket(IpAddress.parse("192.0.2.10"), 20_002))),
                    Optional.empty());

    private final List<String> deletions = new ArrayList<>();

    private static String entry(int clientPort, String source, int sourcePort) {
        return "udp 17 29 src=10.1.0.2 dst=10.96.0.10 sport=%d dport=53 src=%s dst=10.1.0.2"
                        .formatted(clientPort, source)
                + " sport=%d dport=%d mark=0 use=1\n".formatted(sourcePort, clientPort);
    }

    private int follow(int exitCode, String errors, String... entries) throws RedirectException {
        ConnectionTracking tracking =
                new ConnectionTracking(
                        Optional.of(Path.of("conntrack")),
                        (command, input) -> {
                            if (command.get(1).equals("-L")) {
                                return new Commands.Result(0, String.join("", entries), "");
                            }
                            deletions.add(String.join(" ", command));
                            return new Commands.Result(exitCode, "", errors);
                        });
        return tracking.follow(IpFamily.IPV4, RULES, LedAway.NONE, Set.of());
    }

    @Test
    void entriesThatLeadToOneWrongPlaceAreDeletedInOneGoAndNoOthers() throws Exception {
        int deleted =
                follow(
                        0,
                        "",
                        entry(40_000, "192.0.2.10", 20_001),
                        entry(40_001, "192.0.2.10", 20_001),
                        entry(40_002, "192.0.2.10", 20_002));

        assertThat(deleted).isEqualTo(1);
        assertThat(deletions)
                .containsExactly(
                        "conntrack -D -f ipv4 -p udp --orig-dst 10.96.0.10 --orig-port-dst 53"
                                + " --reply-src 192.0.2.10 --reply-port-src 20001");
    }

    @Test
    void entriesThatHaveGoneByThemselvesAreNoFailure() throws Exception {
        assertThat(
                        follow(
                                1,
                                "conntrack v1.4.7 (conntrack-tools): 0 flow entries have been"
                                        + " deleted.\n",
                                entry(40_000, "192.0.2.10", 20_001)))
                .isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({
        "1, Operation failed: Operation not permitted",
        "1, ''",
        "2, conntrack v1.4.7: Bad parameter",
        "137, ''",
    })
    void whatCouldNotBeDeletedIsNamedAndTheOthersAreDeleted(int exitCode, String errors) {
        assertThatThrownBy(
                        () ->
                                follow(
                                        exitCode,
                                        errors,
                                        entry(40_000, "192.0.2.10", 20_001),
                                        entry(40_001, "10.96.0.10", 53)))
                .isInstanceOf(RedirectException.class)
                .hasMessageContaining("--reply-port-src 20001 failed: " + errors)
                .hasMessageContaining("--reply-port-src 53 failed: " + errors);
        assertThat(deletions).hasSize(2);
    }
}
