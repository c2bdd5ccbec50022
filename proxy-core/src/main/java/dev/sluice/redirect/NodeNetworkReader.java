package dev.sluice.redirect;

import dev.sluice.model.IpAddress;
import dev.sluice.model.IpFamily;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InterfaceAddress;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Reads {@link NodeNetwork} from the kernel, without starting a program.
 *
 * <p>IPv4 addresses come from {@link NetworkInterface}, since procfs has no list of them; IPv6
 * addresses from {@code /proc/net/if_inet6}, since only there it says which of them are not usable
 * yet, and the kernel's REDIRECT passes over those.
 *
 * <p>Threads: stateless; any thread.
 */
final class NodeNetworkReader {
    private static final Path PROC_NET = Path.of("/proc/net");

    // if_addr.h
    private static final int IFA_TEMPORARY = 0x01;
    private static final int IFA_OPTIMISTIC = 0x04;
    private static final int IFA_DAD_FAILED = 0x08;
    private static final int IFA_DEPRECATED = 0x20;
    private static final int IFA_TENTATIVE = 0x40;
    // route.h
    private static final int RTF_REJECT = 0x200;

    private NodeNetworkReader() {}

    /** An address with what decides whether to prefer it; the lowest rank comes first. */
    private record Candidate(String name, int index, IpAddress address, int rank) {}

    /**
     * Interfaces and addresses of the network namespace of this process.
     *
     * @throws IOException if the kernel doesn't tell
     */
    static NodeNetwork read() throws IOException {
        List<Candidate> candidates = new ArrayList<>(addresses4());
        Path inet6 = PROC_NET.resolve("if_inet6");
        boolean ipv6 = Files.exists(inet6);
        Map<IpFamily, String> defaults = new HashMap<>();
        defaultInterface4(Files.readAllLines(PROC_NET.resolve("route")))
                .ifPresent(name -> defaults.put(IpFamily.IPV4, name));
        if (ipv6) {
            candidates.addAll(addresses6(Files.readAllLines(inet6)));
            defaultInterface6(Files.readAllLines(PROC_NET.resolve("ipv6_route")))
                    .ifPresent(name -> defaults.put(IpFamily.IPV6, name));
        }
        return new NodeNetwork(interfaces(candidates), defaults, ipv6);
    }

    /**
     * Addresses of all interfaces, those of loopback included and link-local ones not.
     *
     * @throws IOException if the kernel doesn't tell
     */
    static List<IpAddress> addresses() throws IOException {
        List<Candidate> candidates = new ArrayList<>(addresses4());
        Path inet6 = PROC_NET.resolve("if_inet6");
        if (Files.exists(inet6)) {
            candidates.addAll(addresses6(Files.readAllLines(inet6)));
        }
        return candidates.stream()
                .map(Candidate::address)
                .filter(address -> !address.isLinkLocal() && !address.isUnspecified())
                .toList();
    }

    /**
     * Interfaces from the lines of {@code if_inet6}: address, index, length, scope, flags, name.
     */
    static List<NodeInterface> interfaces6(List<String> lines) {
        return interfaces(addresses6(lines));
    }

    private static List<NodeInterface> interfaces(List<Candidate> candidates) {
        Map<Integer, List<Candidate>> byIndex = new TreeMap<>();
        candidates.stream()
                .filter(candidate -> isReachable(candidate.address()))
                .sorted(Comparator.comparingInt(Candidate::rank).thenComparing(Candidate::address))
                .forEach(
                        candidate ->
                                byIndex.computeIfAbsent(candidate.index(), i -> new ArrayList<>())
                                        .add(candidate));
        return byIndex.values().stream()
                .map(
                        of ->
                                new NodeInterface(
                                        of.get(0).name(),
                                        of.get(0).index(),
                                        of.stream().map(Candidate::address).toList()))
                .toList();
    }

    /**
     * A link-local address doesn't make an interface numbered: every veth has one for IPv6, so pods
     * that come and go would change the rules, and DNAT to a global address serves those as well.
     */
    private static boolean isReachable(IpAddress address) {
        return !address.isLoopback() && !address.isLinkLocal() && !address.isUnspecified();
    }

    private static List<Candidate> addresses4() throws IOException {
        List<Candidate> candidates = new ArrayList<>();
        for (NetworkInterface device : Collections.list(NetworkInterface.getNetworkInterfaces())) {
            for (InterfaceAddress address : device.getInterfaceAddresses()) {
                if (address.getAddress() instanceof Inet4Address) {
                    // A floating address usually has a longer prefix than the interface's own.
                    candidates.add(
                            new Candidate(
                                    device.getName(),
                                    device.getIndex(),
                                    IpAddress.of(address.getAddress()),
                                    address.getNetworkPrefixLength()));
                }
            }
        }
        return candidates;
    }

    private static List<Candidate> addresses6(List<String> lines) {
        List<Candidate> candidates = new ArrayList<>();
        for (String line : lines) {
            String[] words = line.strip().split("\\s+", 6);
            int flags = Integer.parseInt(words[4], 16);
            boolean tentative = (flags & IFA_TENTATIVE) != 0 && (flags & IFA_OPTIMISTIC) == 0;
            if (tentative || (flags & IFA_DAD_FAILED) != 0) {
                continue;
            }
            candidates.add(
                    new Candidate(
                            words[5],
                            Integer.parseInt(words[1], 16),
                            IpAddress.of(HexFormat.of().parseHex(words[0])),
                            flags & (IFA_TEMPORARY | IFA_DEPRECATED)));
        }
        return candidates;
    }

    /** Lines of {@code route}: interface, destination, gateway, flags, -, -, metric, mask. */
    static Optional<String> defaultInterface4(List<String> lines) {
        return lines.stream()
                .skip(1)
                .map(line -> line.strip().split("\\s+"))
                .filter(words -> words[1].equals("00000000") && words[7].equals("00000000"))
                .filter(words -> (Long.parseLong(words[3], 16) & RTF_REJECT) == 0)
                .min(Comparator.comparingLong(words -> Long.parseLong(words[6])))
                .map(words -> words[0]);
    }

    /**
     * Lines of {@code ipv6_route}: destination, length, source, length, gateway, metric, -, -,
     * flags, interface.
     */
    static Optional<String> defaultInterface6(List<String> lines) {
        return lines.stream()
                .map(line -> line.strip().split("\\s+"))
                .filter(words -> words[0].equals("0".repeat(32)) && words[1].equals("00"))
                .filter(words -> (Long.parseLong(words[8], 16) & RTF_REJECT) == 0)
                .min(Comparator.comparingLong(words -> Long.parseLong(words[5], 16)))
                .map(words -> words[9]);
    }
}
