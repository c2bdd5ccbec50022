package dev.sluice.redirect;

import dev.sluice.model.Cidr;
import dev.sluice.model.IpAddress;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Predicate;

/**
 * What the kernel routes through which interface.
 *
 * <p>Stateless; any thread.
 */
public final class NodeRoutes {
    private static final Path PROC_NET = Path.of("/proc/net");

    // route.h, ipv6_route.h
    private static final int RTF_UP = 0x1;
    private static final int RTF_REJECT = 0x200;

    private NodeRoutes() {}

    /**
     * The ranges that are routed through these interfaces, in ascending order. Default routes are
     * none, nor are link-local and multicast ranges, which every interface has.
     *
     * @param interfaceName by the kernel's name
     * @throws IOException if the kernel doesn't tell
     */
    public static List<Cidr> through(Predicate<String> interfaceName) throws IOException {
        List<Cidr> ranges =
                new ArrayList<>(
                        through4(Files.readAllLines(PROC_NET.resolve("route")), interfaceName));
        Path routes6 = PROC_NET.resolve("ipv6_route");
        if (Files.exists(routes6)) {
            ranges.addAll(through6(Files.readAllLines(routes6), interfaceName));
        }
        return ranges.stream().sorted().distinct().toList();
    }

    /** Lines of {@code route}: interface, destination, gateway, flags, -, -, metric, mask. */
    static List<Cidr> through4(List<String> lines, Predicate<String> interfaceName) {
        return lines.stream()
                .skip(1)
                .map(line -> line.strip().split("\\s+"))
                .filter(words -> interfaceName.test(words[0]) && isInUse(words[3]))
                .map(words -> new Cidr(address4(words[1]), bits(words[7])))
                .filter(NodeRoutes::isOneNetwork)
                .toList();
    }

    /**
     * Lines of {@code ipv6_route}: destination, length, source, length, gateway, metric, -, -,
     * flags, interface.
     */
    static List<Cidr> through6(List<String> lines, Predicate<String> interfaceName) {
        return lines.stream()
                .map(line -> line.strip().split("\\s+"))
                .filter(words -> interfaceName.test(words[9]) && isInUse(words[8]))
                .map(
                        words ->
                                new Cidr(
                                        IpAddress.of(HexFormat.of().parseHex(words[0])),
                                        Integer.parseInt(words[1], 16)))
                .filter(NodeRoutes::isOneNetwork)
                .toList();
    }

    private static boolean isInUse(String flags) {
        long bits = Long.parseLong(flags, 16);
        return (bits & RTF_UP) != 0 && (bits & RTF_REJECT) == 0;
    }

    private static boolean isOneNetwork(Cidr range) {
        return range.length() > 0
                && !range.address().isLinkLocal()
                && !range.address().isMulticast();
    }

    /** The kernel prints the four bytes as one number of its own byte order. */
    private static IpAddress address4(String hex) {
        return IpAddress.of(
                ByteBuffer.allocate(Integer.BYTES)
                        .order(ByteOrder.nativeOrder())
                        .putInt(Integer.parseUnsignedInt(hex, 16))
                        .array());
    }

    private static int bits(String mask) {
        return Integer.bitCount(Integer.parseUnsignedInt(mask, 16));
    }
}
