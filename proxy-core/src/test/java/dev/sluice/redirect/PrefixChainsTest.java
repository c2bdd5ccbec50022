package dev.sluice.redirect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.Cidr;
import dev.sluice.model.IpAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PrefixChainsTest {
    private static final String ROOT = "SLUICE-REDIRECT";

    /** Most that a packet passes, however many rules there are: a chain, and digits on the way. */
    private static final int PASSED = 2 * PrefixChains.UNSPLIT_RULES;

    @Test
    void fewRulesStandInOneChainAfterThoseThatComeFirst() {
        SortedMap<IpAddress, List<String>> rules = new TreeMap<>();
        rules.put(IpAddress.parse("10.96.0.2"), List.of("b", "a"));
        rules.put(IpAddress.parse("10.96.0.1"), List.of("c"));

        assertThat(PrefixChains.of(ROOT, List.of("first"), rules))
                .isEqualTo(Map.of(ROOT, List.of("first", "c", "b", "a")));
    }

    @Test
    void manyRulesAreSplitWhereTheirAddressesDiffer() {
        SortedMap<IpAddress, List<String>> rules = new TreeMap<>();
        IntStream.rangeClosed(0, PrefixChains.UNSPLIT_RULES)
                .mapToObj(i -> IpAddress.parse("10.96." + 32 * (i % 2) + "." + i))
                .forEach(address -> rules.put(address, List.of(rule(address))));
        IpAddress alone = IpAddress.parse("10.96.255.1");
        rules.put(alone, List.of(rule(alone)));

        SortedMap<String, List<String>> chains = PrefixChains.of(ROOT, List.of("first"), rules);

        assertThat(chains.keySet())
                .containsExactly("SLUICE-R-10.96.0.0/24", "SLUICE-R-10.96.32.0/24", ROOT);
        assertThat(chains.get(ROOT))
                .containsExactly(
                        "first",
                        "-d 10.96.0.0/24 -j SLUICE-R-10.96.0.0/24",
                        "-d 10.96.32.0/24 -j SLUICE-R-10.96.32.0/24",
                        rule(alone));
    }

    @Test
    void theManyRulesOfOneAddressStayTogether() {
        SortedMap<IpAddress, List<String>> rules = new TreeMap<>();
        List<String> many = IntStream.range(0, 1000).mapToObj(i -> "rule " + i).toList();
        rules.put(IpAddress.parse("10.96.0.1"), many);

        assertThat(PrefixChains.of(ROOT, List.of(), rules)).isEqualTo(Map.of(ROOT, many));
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.96.0.0/12", "10.0.0.0/8", "fd00:10:96::/108", "::/0"})
    void everyAddressMeetsItsRulesOnceAndFewOthers(String range) {
        for (int size : new int[] {1, 130, 2_000, 10_000}) {
            SortedMap<IpAddress, List<String>> rules = random(Cidr.parse(range), size);

            SortedMap<String, List<String>> chains = PrefixChains.of(ROOT, List.of(), rules);

            assertThat(chains.values().stream().mapToInt(List::size).sum())
                    .isLessThan(4 * rules.size());
            assertThat(chains.keySet())
                    .allSatisfy(name -> assertThat(name).startsWith("SLUICE-R"))
                    .allSatisfy(name -> assertThat(name).hasSizeLessThanOrEqualTo(28));
            for (IpAddress address : rules.keySet()) {
                List<String> met = new ArrayList<>();
                int passed = walk(chains, ROOT, address, met);
                assertThat(met).containsExactlyElementsOf(rules.get(address));
                assertThat(passed).isLessThanOrEqualTo(PASSED);
            }
        }
    }

    @Test
    void anAddedOrRemovedAddressChangesFewRules() {
        SortedMap<IpAddress, List<String>> rules = random(Cidr.parse("10.96.0.0/16"), 10_000);
        SortedMap<String, List<String>> before = PrefixChains.of(ROOT, List.of(), rules);
        Random random = new Random(2);
        for (int i = 0; i < 20; i++) {
            IpAddress added = random(random, Cidr.parse("10.96.0.0/16"));
            SortedMap<IpAddress, List<String>> more = new TreeMap<>(rules);
            more.put(added, List.of("added"));

            SortedMap<String, List<String>> after = PrefixChains.of(ROOT, List.of(), more);

            after.entrySet().removeAll(before.entrySet());
            assertThat(after.values().stream().mapToInt(List::size).sum())
                    .isLessThanOrEqualTo(PASSED);
        }
    }

    /** Number of rules that a packet is compared with. */
    private static int walk(
            Map<String, List<String>> chains, String chain, IpAddress address, List<String> met) {
        int passed = 0;
        for (String rule : chains.getOrDefault(chain, List.of())) {
            passed++;
            String[] words = rule.split(" ", -1);
            if (!Cidr.parse(words[1]).contains(address)) {
                continue;
            }
            if (words[3].startsWith("SLUICE-")) {
                passed += walk(chains, words[3], address, met);
            } else {
                met.add(rule);
            }
        }
        return passed;
    }

    private static SortedMap<IpAddress, List<String>> random(Cidr range, int size) {
        Random random = new Random(1);
        SortedMap<IpAddress, List<String>> rules = new TreeMap<>();
        while (rules.size() < size) {
            IpAddress address = random(random, range);
            rules.put(
                    address,
                    IntStream.rangeClosed(0, random.nextInt(3))
                            .mapToObj(i -> rule(address) + i)
                            .collect(Collectors.toList()));
        }
        return rules;
    }

    private static IpAddress random(Random random, Cidr range) {
        byte[] bytes = range.address().toBytes();
        for (int bit = range.length(); bit < range.family().bits(); bit++) {
            if (random.nextBoolean()) {
                bytes[bit / 8] |= (byte) (0x80 >> bit % 8);
            }
        }
        return IpAddress.of(bytes);
    }

    private static String rule(IpAddress address) {
        return "-d " + Cidr.of(address) + " -j RULE";
    }
}
