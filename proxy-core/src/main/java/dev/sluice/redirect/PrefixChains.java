package dev.sluice.redirect;

import dev.sluice.model.Cidr;
import dev.sluice.model.IpAddress;
import dev.sluice.model.IpFamily;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Lays rules that each ask for one destination address out in chains. Few stand in one chain. Many
 * are split by the digits of their addresses, so that a packet passes a number of rules that hardly
 * grows with theirs, and a change rewrites one small chain rather than all rules.
 *
 * <p>The layout depends on nothing but the rules, and a chain is named after the prefix that it is
 * for: what a change does not concern stays as it is.
 *
 * <p>Threads: one at a time.
 */
final class PrefixChains {
    /**
     * Most rules of a chain that is not split, unless all are about one address. To pass so many
     * takes a few microseconds; half as many make sixteen times as many chains for the Services of
     * an ordinary cluster, and to make 10,000 chains takes {@code iptables-nft-restore} five
     * seconds.
     */
    static final int UNSPLIT_RULES = 128;

    private static final int DIGIT_BITS = 4;

    /** What the kernel takes is 28 bytes, which an IPv6 prefix does not fit into. */
    private static final int HASHED_BYTES = 7;

    private final String prefix;
    private final SortedMap<String, List<String>> chains = new TreeMap<>();

    private PrefixChains(String prefix) {
        this.prefix = prefix;
    }

    /**
     * The chains that hold these rules.
     *
     * @param chain name of the chain that a packet enters; the names of the others have its first
     *     letter, which therefore no other chain of this kind in its table may have
     * @param first rules of the entered chain before all others
     * @param rules by the address that they ask for, in their order; all of one family
     * @return rules by chain
     */
    static SortedMap<String, List<String>> of(
            String chain, List<String> first, SortedMap<IpAddress, List<String>> rules) {
        PrefixChains layout =
                new PrefixChains(chain.substring(0, TableRules.CHAIN_PREFIX.length() + 1) + "-");
        layout.fill(chain, first, List.copyOf(rules.entrySet()));
        return layout.chains;
    }

    private void fill(
            String chain, List<String> first, List<Map.Entry<IpAddress, List<String>>> part) {
        List<String> rules = new ArrayList<>(first);
        chains.put(chain, rules);
        int size = part.stream().mapToInt(entry -> entry.getValue().size()).sum();
        if (size <= UNSPLIT_RULES || part.size() == 1) {
            part.stream().map(Map.Entry::getValue).flatMap(Collection::stream).forEach(rules::add);
            return;
        }
        int digit = commonDigits(part);
        for (int from = 0, to = 1; from < part.size(); from = to, to++) {
            while (to < part.size() && digit(part, to, digit) == digit(part, from, digit)) {
                to++;
            }
            List<Map.Entry<IpAddress, List<String>>> group = part.subList(from, to);
            if (group.size() == 1) {
                rules.addAll(group.get(0).getValue());
            } else {
                Cidr range = commonPrefix(group);
                rules.add("-d " + range + " -j " + name(range));
                fill(name(range), List.of(), group);
            }
        }
    }

    private static int digit(List<Map.Entry<IpAddress, List<String>>> part, int index, int digit) {
        return digits(part.get(index).getKey()).charAt(digit);
    }

    /** They are in order, so all have what the first and the last have. */
    private static int commonDigits(List<Map.Entry<IpAddress, List<String>>> part) {
        String first = digits(part.get(0).getKey());
        String last = digits(part.get(part.size() - 1).getKey());
        return Arrays.mismatch(first.toCharArray(), last.toCharArray());
    }

    private static String digits(IpAddress address) {
        return HexFormat.of().formatHex(address.toBytes());
    }

    private static Cidr commonPrefix(List<Map.Entry<IpAddress, List<String>>> part) {
        String digits = digits(part.get(0).getKey());
        int common = commonDigits(part);
        byte[] bytes =
                HexFormat.of()
                        .parseHex(
                                digits.substring(0, common) + "0".repeat(digits.length() - common));
        return new Cidr(IpAddress.of(bytes), common * DIGIT_BITS);
    }

    private String name(Cidr range) {
        return prefix
                + (range.family() == IpFamily.IPV4
                        ? range
                        : hash(range.address()) + "/" + range.length());
    }

    private static String hash(IpAddress address) {
        try {
            byte[] hash =
                    MessageDigest.getInstance("SHA-256")
                            .digest(address.toString().getBytes(StandardCharsets.US_ASCII));
            return HexFormat.of().formatHex(hash, 0, HASHED_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
