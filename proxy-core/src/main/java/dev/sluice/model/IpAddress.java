package dev.sluice.model;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * An IPv4 or IPv6 address, read strictly and written canonically.
 *
 * <p>{@link InetAddress#getByName} must not see API data: it reads {@code 10.010.0.1} as decimal
 * where iptables reads octal, takes {@code 127.1}, and asks DNS for anything else. Here an address
 * has exactly one text: dotted decimal without leading zeros, or RFC 5952 for IPv6. An IPv4-mapped
 * IPv6 address ({@code ::ffff:10.0.0.1}) and a zone ({@code fe80::1%eth0}) are not accepted in
 * text; {@link #of(InetAddress)} drops both, since the kernel hands them out for peers of a
 * dual-stack socket.
 *
 * <p>Immutable; any thread.
 */
public final class IpAddress implements Comparable<IpAddress> {
    private final IpFamily family;
    private final long high;
    private final long low;

    private IpAddress(IpFamily family, long high, long low) {
        this.family = family;
        this.high = high;
        this.low = low;
    }

    /**
     * Reads an address as the API server validates it since Kubernetes 1.31 (no leading zeros, no
     * zone, no IPv4-mapped IPv6).
     *
     * @throws MalformedAddressException with the text and the broken rule
     */
    public static IpAddress parse(String text) {
        IpAddress address = text.indexOf(':') >= 0 ? parse6(text) : parse4(text);
        if (address.family == IpFamily.IPV6 && address.isV4Mapped()) {
            throw malformed(
                    text, "an IPv4-mapped IPv6 address is ambiguous; write the IPv4 address");
        }
        return address;
    }

    /** The address of a socket; an IPv4-mapped IPv6 address becomes IPv4 and a zone is dropped. */
    public static IpAddress of(InetAddress address) {
        return of(address.getAddress());
    }

    /**
     * An address from its 4 or 16 bytes in network order; an IPv4-mapped IPv6 address becomes IPv4.
     *
     * @throws IllegalArgumentException for any other number of bytes
     */
    public static IpAddress of(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return switch (bytes.length) {
            case 4 -> new IpAddress(IpFamily.IPV4, 0, Integer.toUnsignedLong(buffer.getInt()));
            case 16 -> {
                IpAddress address =
                        new IpAddress(IpFamily.IPV6, buffer.getLong(), buffer.getLong());
                yield address.isV4Mapped()
                        ? new IpAddress(IpFamily.IPV4, 0, address.low & 0xFFFF_FFFFL)
                        : address;
            }
            default ->
                    throw new IllegalArgumentException(
                            "an IP address has 4 or 16 bytes, not " + bytes.length);
        };
    }

    public IpFamily family() {
        return family;
    }

    /** The bytes in network order: 4 or 16. */
    public byte[] toBytes() {
        return family == IpFamily.IPV4
                ? ByteBuffer.allocate(4).putInt((int) low).array()
                : ByteBuffer.allocate(16).putLong(high).putLong(low).array();
    }

    /** The same address for the socket API; no name is looked up, now or later. */
    public InetAddress toInetAddress() {
        try {
            return InetAddress.getByAddress(toBytes());
        } catch (UnknownHostException e) {
            throw new AssertionError("4 or 16 bytes are always an address", e);
        }
    }

    /** The address with a port behind it, as URLs write it: an IPv6 address is in brackets. */
    public String withPort(int port) {
        return family == IpFamily.IPV6 ? "[" + this + "]:" + port : this + ":" + port;
    }

    /** {@code 0.0.0.0} or {@code ::}. */
    public boolean isUnspecified() {
        return high == 0 && low == 0;
    }

    /** {@code 127.0.0.0/8} (RFC 1122) or {@code ::1} (RFC 4291). */
    public boolean isLoopback() {
        return family == IpFamily.IPV4 ? low >>> 24 == 127 : high == 0 && low == 1;
    }

    /** {@code 169.254.0.0/16} (RFC 3927) or {@code fe80::/10} (RFC 4291). */
    public boolean isLinkLocal() {
        return family == IpFamily.IPV4 ? low >>> 16 == 0xA9FE : high >>> 54 == 0x3FA;
    }

    /** {@code 224.0.0.0/4} (RFC 5771) or {@code ff00::/8} (RFC 4291). */
    public boolean isMulticast() {
        return family == IpFamily.IPV4 ? low >>> 28 == 0xE : high >>> 56 == 0xFF;
    }

    /** {@code 255.255.255.255} (RFC 919). */
    public boolean isBroadcast() {
        return family == IpFamily.IPV4 && low == 0xFFFF_FFFFL;
    }

    private boolean isV4Mapped() {
        return family == IpFamily.IPV6 && high == 0 && low >>> 32 == 0xFFFF;
    }

    private static IpAddress parse4(String text) {
        long value = 0;
        int octets = 0;
        int start = 0;
        for (int i = 0; i <= text.length(); i++) {
            if (i < text.length() && text.charAt(i) != '.') {
                continue;
            }
            value = value << 8 | octet(text, start, i);
            octets++;
            start = i + 1;
        }
        if (octets != 4) {
            throw malformed(text, "an IPv4 address has four numbers from 0 to 255");
        }
        return new IpAddress(IpFamily.IPV4, 0, value);
    }

    private static int octet(String text, int start, int end) {
        int length = end - start;
        if (length < 1 || length > 3) {
            throw malformed(text, "an IPv4 address has four numbers from 0 to 255");
        }
        int value = 0;
        for (int i = start; i < end; i++) {
            int digit = text.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                throw malformed(text, "an IPv4 address has four numbers from 0 to 255");
            }
            value = value * 10 + digit;
        }
        if (length > 1 && text.charAt(start) == '0') {
            throw malformed(text, "leading zeros are ambiguous (octal or decimal)");
        }
        if (value > 255) {
            throw malformed(text, "an IPv4 address has four numbers from 0 to 255");
        }
        return value;
    }

    private static IpAddress parse6(String text) {
        if (text.indexOf('%') >= 0) {
            throw malformed(text, "a zone means nothing on another host");
        }
        int dot = text.indexOf('.');
        if (dot >= 0 && dot < text.lastIndexOf(':')) {
            throw malformed(text, "an IPv4 part stands at the end only");
        }
        int gap = text.indexOf("::");
        if (gap >= 0 && text.indexOf("::", gap + 1) >= 0) {
            throw malformed(text, "'::' may stand once");
        }
        int[] groups = new int[8];
        if (gap < 0) {
            if (parseGroups(text, text, groups, 0) != 8) {
                throw malformed(text, "an IPv6 address has eight groups");
            }
        } else {
            int head = parseGroups(text, text.substring(0, gap), groups, 0);
            int[] tail = new int[8];
            int tailLength = parseGroups(text, text.substring(gap + 2), tail, 0);
            if (head + tailLength > 7) {
                throw malformed(text, "'::' stands for at least one group");
            }
            System.arraycopy(tail, 0, groups, 8 - tailLength, tailLength);
        }
        long high = 0;
        long low = 0;
        for (int i = 0; i < 4; i++) {
            high = high << 16 | groups[i];
            low = low << 16 | groups[i + 4];
        }
        return new IpAddress(IpFamily.IPV6, high, low);
    }

    private static int parseGroups(String text, String part, int[] groups, int at) {
        if (part.isEmpty()) {
            return at;
        }
        int next = at;
        String[] words = part.split(":", -1);
        for (int i = 0; i < words.length; i++) {
            String word = words[i];
            if (word.indexOf('.') >= 0 && i == words.length - 1 && next <= 6) {
                long v4 = parse4(word).low;
                groups[next++] = (int) (v4 >>> 16);
                groups[next++] = (int) (v4 & 0xFFFF);
            } else if (next < 8 && isHexGroup(word)) {
                groups[next++] = Integer.parseInt(word, 16);
            } else {
                throw malformed(text, "an IPv6 address has eight groups of one to four hex digits");
            }
        }
        return next;
    }

    private static boolean isHexGroup(String word) {
        if (word.isEmpty() || word.length() > 4) {
            return false;
        }
        for (int i = 0; i < word.length(); i++) {
            if ("0123456789abcdefABCDEF".indexOf(word.charAt(i)) < 0) {
                return false;
            }
        }
        return true;
    }

    /** The same with all bits after the first {@code length} zero. */
    IpAddress masked(int length) {
        if (family == IpFamily.IPV4) {
            return new IpAddress(family, 0, low & upper(length + Integer.SIZE) & 0xFFFF_FFFFL);
        }
        return new IpAddress(
                family,
                high & upper(Math.min(length, Long.SIZE)),
                low & upper(Math.max(0, length - Long.SIZE)));
    }

    /** The first bits set, 0 to 64 of them. */
    private static long upper(int bits) {
        return bits == 0 ? 0 : -1L << (Long.SIZE - bits);
    }

    private static MalformedAddressException malformed(String text, String rule) {
        return new MalformedAddressException(text, rule);
    }

    /** IPv4 before IPv6, then by value. */
    @Override
    public int compareTo(IpAddress other) {
        int byFamily = family.compareTo(other.family);
        if (byFamily != 0) {
            return byFamily;
        }
        int byHigh = Long.compareUnsigned(high, other.high);
        return byHigh != 0 ? byHigh : Long.compareUnsigned(low, other.low);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof IpAddress that
                && family == that.family
                && high == that.high
                && low == that.low;
    }

    @Override
    public int hashCode() {
        return (Long.hashCode(high) * 31 + Long.hashCode(low)) * 31 + family.bits();
    }

    /** Dotted decimal, or the text of RFC 5952 for IPv6. */
    @Override
    public String toString() {
        if (family == IpFamily.IPV4) {
            byte[] bytes = toBytes();
            return (bytes[0] & 255)
                    + "."
                    + (bytes[1] & 255)
                    + "."
                    + (bytes[2] & 255)
                    + "."
                    + (bytes[3] & 255);
        }
        int[] groups = new int[8];
        for (int i = 0; i < 4; i++) {
            groups[i] = (int) (high >>> (48 - 16 * i) & 0xFFFF);
            groups[i + 4] = (int) (low >>> (48 - 16 * i) & 0xFFFF);
        }
        return rfc5952(groups);
    }

    private static String rfc5952(int[] groups) {
        int bestStart = -1;
        int bestLength = 1;
        for (int i = 0; i < 8; i++) {
            int end = i;
            while (end < 8 && groups[end] == 0) {
                end++;
            }
            if (end - i > bestLength) {
                bestStart = i;
                bestLength = end - i;
            }
            i = Math.max(i, end - 1);
        }
        if (bestStart < 0) {
            return hex(groups, 0, 8);
        }
        return hex(groups, 0, bestStart) + "::" + hex(groups, bestStart + bestLength, 8);
    }

    private static String hex(int[] groups, int from, int to) {
        StringBuilder text = new StringBuilder();
        for (int group : Arrays.copyOfRange(groups, from, to)) {
            if (!text.isEmpty()) {
                text.append(':');
            }
            text.append(Integer.toHexString(group));
        }
        return text.toString();
    }
}
