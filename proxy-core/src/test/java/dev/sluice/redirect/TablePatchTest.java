package dev.sluice.redirect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.FrontEnd;
import dev.sluice.model.IpAddress;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class TablePatchTest {
    private static final IpAddress NODE = IpAddress.parse("192.0.2.10");
    private static final String IN_PLACE =
            """
            *nat
            :PREROUTING ACCEPT [0:0]
            :OUTPUT ACCEPT [0:0]
            :SLUICE-DNAT - [0:0]
            :SLUICE-PREROUTING - [0:0]
            :SLUICE-REDIRECT - [0:0]
            -A PREROUTING -j SLUICE-PREROUTING
            -A PREROUTING -m addrtype --dst-type LOCAL -j DOCKER
            -A OUTPUT -j SLUICE-REDIRECT
            -A SLUICE-DNAT -d 10.96.0.1/32 -p tcp -m tcp --dport 80 -j DNAT --to-destination 192.0.2.10:20001
            -A SLUICE-PREROUTING -i br0 -j SLUICE-REDIRECT
            -A SLUICE-PREROUTING -j SLUICE-DNAT
            -A SLUICE-REDIRECT -d 10.96.0.1/32 -p tcp -m tcp --dport 80 -j REDIRECT --to-ports 20001
            COMMIT
            """;

    @Test
    void anEmptyTableGetsChainsRulesAndJumps() {
        assertThat(patch("", nat()))
                .hasValue(
                        """
                        *nat
                        :SLUICE-DNAT - [0:0]
                        :SLUICE-PREROUTING - [0:0]
                        :SLUICE-REDIRECT - [0:0]
                        -A SLUICE-DNAT -d 10.96.0.1/32 -p tcp -m tcp --dport 80 -j DNAT --to-destination 192.0.2.10:20001
                        -A SLUICE-PREROUTING -i br0 -j SLUICE-REDIRECT
                        -A SLUICE-PREROUTING -j SLUICE-DNAT
                        -A SLUICE-REDIRECT -d 10.96.0.1/32 -p tcp -m tcp --dport 80 -j REDIRECT --to-ports 20001
                        -I OUTPUT 1 -j SLUICE-REDIRECT
                        -I PREROUTING 1 -j SLUICE-PREROUTING
                        COMMIT
                        """);
    }

    @Test
    void ipv6AddressesStandInBracketsBeforeAPort() {
        TableRules nat =
                NatRules.of(
                        targets(Rules.redirect(Rules.tcp("fd00:96::1", 443), 20002)),
                        List.of("br0"),
                        Optional.of(IpAddress.parse("2001:db8::10")));

        assertThat(nat.chains())
                .containsEntry(
                        "SLUICE-DNAT",
                        List.of(
                                "-d fd00:96::1/128 -p tcp -m tcp --dport 443 -j DNAT --to-destination [2001:db8::10]:20002"));
    }

    @Test
    void withoutAnAddressOfTheNodeOtherInterfacesAreLeftAlone() {
        TableRules nat = NatRules.of(targets(frontEnds()), List.of("br0"), Optional.empty());

        assertThat(nat.chains()).containsOnlyKeys("SLUICE-PREROUTING", "SLUICE-REDIRECT");
        assertThat(nat.chains().get("SLUICE-PREROUTING"))
                .containsExactly("-i br0 -j SLUICE-REDIRECT");
    }

    @Test
    void otherPortsOfClosedAddressesAreRefusedAfterAllFrontEnds() {
        TableRules nat =
                NatRules.of(
                        new NatTargets(
                                frontEnds(),
                                Optional.of(
                                        new ClosedPorts(
                                                new TreeSet<>(
                                                        List.of(IpAddress.parse("10.96.0.1"))),
                                                RedirectTarget.socket(NODE, 31_001),
                                                RedirectTarget.socket(NODE, 31_002)))),
                        List.of("br0"),
                        Optional.of(NODE));

        assertThat(nat.chains().get("SLUICE-PREROUTING"))
                .containsExactly("-i br0 -j SLUICE-REDIRECT", "-j SLUICE-DNAT", "-j SLUICE-OTHER");
        assertThat(nat.jumps()).containsEntry("OUTPUT", "SLUICE-OUTPUT");
        assertThat(nat.chains().get("SLUICE-OUTPUT"))
                .containsExactly("-j SLUICE-REDIRECT", "-j SLUICE-OTHER");
        assertThat(nat.chains().get("SLUICE-OTHER"))
                .containsExactly("-d 10.96.0.1/32 -j SLUICE-REFUSE");
        assertThat(nat.chains().get("SLUICE-REFUSE"))
                .containsExactly(
                        "-p tcp -j DNAT --to-destination 192.0.2.10:31001",
                        "-p udp -j DNAT --to-destination 192.0.2.10:31002");
    }

    @Test
    void aTableThatHoldsMoreHoldsAsWellWhatIsWanted() {
        SavedTable saved =
                SavedTable.parse(
                                IN_PLACE.replace(
                                                "-A SLUICE-PREROUTING -j SLUICE-DNAT",
                                                "-A SLUICE-PREROUTING -j SLUICE-DNAT\n-A"
                                                        + " SLUICE-PREROUTING -j SLUICE-OTHER")
                                        .replace(
                                                ":SLUICE-DNAT",
                                                ":SLUICE-OTHER - [0:0]\n:SLUICE-DNAT"))
                        .getOrDefault("nat", SavedTable.EMPTY);

        assertThat(TablePatch.isWithin(saved, nat())).isTrue();
        assertThat(TablePatch.between(saved, nat())).isPresent();
        assertThat(TablePatch.isWithin(SavedTable.EMPTY, nat())).isFalse();
    }

    @Test
    void aTableThatHoldsAllNeedsNothing() {
        assertThat(patch(IN_PLACE, nat())).isEmpty();
    }

    @Test
    void aTableWithoutSluiceNeedsNothingRemoved() {
        assertThat(patch("", TableRules.none("nat"))).isEmpty();
        assertThat(
                        patch(
                                "*nat\n:OUTPUT ACCEPT [0:0]\n-A OUTPUT -j X\nCOMMIT\n",
                                TableRules.none("nat")))
                .isEmpty();
    }

    @Test
    void onlyAChainThatDiffersIsWritten() {
        String edited = IN_PLACE.replace("--to-ports 20001", "--to-ports 29999");

        assertThat(patch(edited, nat()))
                .hasValue(
                        """
                        *nat
                        :SLUICE-REDIRECT - [0:0]
                        -A SLUICE-REDIRECT -d 10.96.0.1/32 -p tcp -m tcp --dport 80 -j REDIRECT --to-ports 20001
                        COMMIT
                        """);
    }

    @Test
    void aStrangersRuleInAnOwnChainGoes() {
        String edited =
                IN_PLACE.replace(
                        "-A SLUICE-REDIRECT", "-A SLUICE-REDIRECT -j ACCEPT\n-A SLUICE-REDIRECT");

        assertThat(patch(edited, nat())).get().asString().contains(":SLUICE-REDIRECT - [0:0]");
    }

    @Test
    void aJumpThatIsNotFirstIsMoved() {
        String moved =
                IN_PLACE.replace(
                        "-A PREROUTING -j SLUICE",
                        "-A PREROUTING -j FIRST\n-A PREROUTING -j SLUICE");

        assertThat(patch(moved, nat()))
                .hasValue(
                        """
                        *nat
                        -D PREROUTING -j SLUICE-PREROUTING
                        -I PREROUTING 1 -j SLUICE-PREROUTING
                        COMMIT
                        """);
    }

    @Test
    void duplicateJumpsBecomeOne() {
        String doubled =
                IN_PLACE.replace(
                        "-A OUTPUT -j SLUICE-REDIRECT",
                        """
                        -A OUTPUT -j SLUICE-REDIRECT
                        -A OUTPUT -j SLUICE-REDIRECT
                        -A OUTPUT -p tcp -m comment --comment "x y" -j SLUICE-REDIRECT""");

        assertThat(patch(doubled, nat()))
                .hasValue(
                        """
                        *nat
                        -D OUTPUT -j SLUICE-REDIRECT
                        -D OUTPUT -j SLUICE-REDIRECT
                        -D OUTPUT -p tcp -m comment --comment "x y" -j SLUICE-REDIRECT
                        -I OUTPUT 1 -j SLUICE-REDIRECT
                        COMMIT
                        """);
    }

    @Test
    void removalFlushesAllBeforeItDeletesAny() {
        assertThat(patch(IN_PLACE, TableRules.none("nat")))
                .hasValue(
                        """
                        *nat
                        :SLUICE-DNAT - [0:0]
                        :SLUICE-PREROUTING - [0:0]
                        :SLUICE-REDIRECT - [0:0]
                        -D OUTPUT -j SLUICE-REDIRECT
                        -D PREROUTING -j SLUICE-PREROUTING
                        -X SLUICE-DNAT
                        -X SLUICE-PREROUTING
                        -X SLUICE-REDIRECT
                        COMMIT
                        """);
    }

    @Test
    void chainsOfAnEarlierVersionGo() {
        String earlier = IN_PLACE.replace("COMMIT", "-A SLUICE-OLD -j ACCEPT\nCOMMIT");

        assertThat(patch(earlier, nat()))
                .hasValue(
                        """
                        *nat
                        :SLUICE-OLD - [0:0]
                        -X SLUICE-OLD
                        COMMIT
                        """);
    }

    private static TableRules nat() {
        return NatRules.of(
                targets(frontEnds()), List.of("br0"), Optional.of(IpAddress.parse("192.0.2.10")));
    }

    private static SortedMap<FrontEnd, RedirectTarget> frontEnds() {
        return new TreeMap<>(Rules.redirect(Rules.tcp("10.96.0.1", 80), 20001));
    }

    private static Optional<String> patch(String saved, TableRules desired) {
        return TablePatch.between(
                SavedTable.parse(saved).getOrDefault(desired.table(), SavedTable.EMPTY), desired);
    }

    private static NatTargets targets(SortedMap<FrontEnd, RedirectTarget> redirects) {
        return new NatTargets(redirects, Optional.empty());
    }
}
