package dev.sluice.redirect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.Cidr;
import dev.sluice.model.FrontEnd;
import dev.sluice.model.IpAddress;
import dev.sluice.model.IpFamily;
import dev.sluice.model.SourceRanges;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class AdmissionRulesTest {
    private static final FrontEnd BALANCER = Rules.tcp("203.0.113.1", 80);
    private static final FrontEnd BALANCER6 = Rules.tcp("2001:db8:1::1", 80);
    private static final FrontEnd CLUSTER = Rules.tcp("10.96.0.1", 80);
    private static final List<IpAddress> NODE = List.of(IpAddress.parse("192.0.2.10"));

    @Test
    void nothingToDropIsNoTable() {
        assertThat(AdmissionRules.of(RuleSet.EMPTY, NODE)).isEqualTo(TableRules.none("mangle"));
    }

    @Test
    void onlyNewConnectionsAreLookedAt() {
        TableRules rules = limited(SourceRanges.only(List.of()));

        assertThat(rules.chains().get("SLUICE-PREROUTING"))
                .containsExactly("-m conntrack ! --ctstate NEW -j RETURN", "-j SLUICE-RANGES");
        assertThat(rules.chains().get("SLUICE-OUTPUT"))
                .isEqualTo(rules.chains().get("SLUICE-PREROUTING"));
        assertThat(rules.jumps())
                .isEqualTo(Map.of("PREROUTING", "SLUICE-PREROUTING", "OUTPUT", "SLUICE-OUTPUT"));
    }

    @Test
    void rangesOfAFrontEndsFamilyPassAndAllElseIsDropped() {
        assertThat(
                        ranges(
                                limited(
                                        SourceRanges.only(
                                                List.of(
                                                        Cidr.parse("198.51.100.0/24"),
                                                        Cidr.parse("fd00::/8"))))))
                .containsExactly(
                        "-s 198.51.100.0/24 -d 203.0.113.1/32 -p tcp -m tcp --dport 80 -j RETURN",
                        "-d 203.0.113.1/32 -p tcp -m tcp --dport 80 -j DROP");
    }

    @Test
    void rangesOfOneFamilyDoNotOpenTheOther() {
        SourceRanges four = SourceRanges.only(List.of(Cidr.parse("198.51.100.0/24")));
        RuleSet rules =
                new RuleSet(
                        new TreeMap<>(),
                        new TreeSet<>(),
                        new TreeMap<>(),
                        new TreeMap<>(Map.of(BALANCER, four, BALANCER6, four)),
                        List.of(),
                        new TreeSet<>());

        assertThat(ranges(AdmissionRules.of(rules.only(IpFamily.IPV6), NODE)))
                .containsExactly("-d 2001:db8:1::1/128 -p tcp -m tcp --dport 80 -j DROP");
    }

    @Test
    void anybodyAndTheNodeThatOwnsTheAddressAreWrittenAsTheKernelShowsThem() {
        assertThat(ranges(limited(SourceRanges.only(List.of(Cidr.parse("0.0.0.0/0"))))))
                .containsExactly(
                        "-d 203.0.113.1/32 -p tcp -m tcp --dport 80 -j RETURN",
                        "-s 203.0.113.1/32 -d 203.0.113.1/32 -p tcp -m tcp --dport 80 -j RETURN",
                        "-d 203.0.113.1/32 -p tcp -m tcp --dport 80 -j DROP");
    }

    @Test
    void anInternalPolicyDropsTheNodeAndAnExternalOneOnlyThoseFromElsewhere() {
        RuleSet rules =
                new RuleSet(
                        new TreeMap<>(),
                        new TreeSet<>(),
                        new TreeMap<>(
                                Map.of(CLUSTER, DropScope.EVERYONE, BALANCER, DropScope.ELSEWHERE)),
                        new TreeMap<>(),
                        List.of(Cidr.parse("10.244.1.0/24")),
                        new TreeSet<>());
        TableRules table = AdmissionRules.of(rules, NODE);

        assertThat(table.chains().get("SLUICE-OUTPUT"))
                .containsExactly("-m conntrack ! --ctstate NEW -j RETURN", "-j SLUICE-POLICY");
        assertThat(table.chains().get("SLUICE-PREROUTING"))
                .containsExactly(
                        "-m conntrack ! --ctstate NEW -j RETURN",
                        "-j SLUICE-POLICY",
                        "-j SLUICE-EXTERNAL");
        assertThat(table.chains().get("SLUICE-POLICY"))
                .containsExactly("-d 10.96.0.1/32 -p tcp -m tcp --dport 80 -j DROP");
        assertThat(table.chains().get("SLUICE-EXTERNAL"))
                .containsExactly(
                        "-i lo -j RETURN",
                        "-s 10.244.1.0/24 -j RETURN",
                        "-d 203.0.113.1/32 -p tcp -m tcp --dport 80 -j DROP");
    }

    private static TableRules limited(SourceRanges ranges) {
        return AdmissionRules.of(
                new RuleSet(
                        new TreeMap<>(),
                        new TreeSet<>(),
                        new TreeMap<>(),
                        new TreeMap<>(Map.of(BALANCER, ranges)),
                        List.of(),
                        new TreeSet<>()),
                NODE);
    }

    private static Stream<String> ranges(TableRules rules) {
        return rules.chains().getOrDefault("SLUICE-RANGES", List.of()).stream();
    }
}
