package dev.sluice.model;

import java.util.Comparator;

/**
 * A range of addresses, such as {@code 10.244.0.0/16}.
 *
 * <p>Immutable; any thread.
 *
 * @param address the first address of the range: all bits after the prefix are zero
 * @param length number of bits that all addresses of the range share, 0 to 32 or to 128
 */
public record Cidr(IpAddress address, int length) implements Comparable<Cidr> {
    private static final Comparator<Cidr> ORDER =
            Comparator.comparing(Cidr::address).thenComparing(Cidr::length);

    public Cidr {
        if (length < 0 || length > address.family().bits()) {
            throw new IllegalArgumentException(
                    "prefix length " + length + " is not in 0.." + address.family().bits());
        }
        address = address.masked(length);
    }

    /**
     * Reads {@code ADDRESS/LENGTH}, as Go's {@code net.ParseCIDR} does: bits after the prefix may
     * be set, and are cleared.
     *
     * @throws IllegalArgumentException naming the rule that the text breaks
     */
    public static Cidr parse(String text) {
        int slash = text.indexOf('/');
        if (slash < 0) {
            throw new IllegalArgumentException("must be an address range such as 10.0.0.0/8");
        }
        IpAddress address;
        try {
            address = IpAddress.parse(text.substring(0, slash));
        } catch (MalformedAddressException e) {
            throw new IllegalArgumentException(
                    "must be an address range such as 10.0.0.0/8: its address " + e.rule(), e);
        }
        String length = text.substring(slash + 1);
        boolean isNumber =
                !length.isEmpty()
                        && length.length() <= 3
                        && length.chars().allMatch(c -> c >= '0' && c <= '9')
                        && (length.length() == 1 || length.charAt(0) != '0');
        if (!isNumber) {
            throw new IllegalArgumentException(
                    "must be an address range such as 10.0.0.0/8: its prefix length is no number");
        }
        return new Cidr(address, Integer.parseInt(length));
    }

    /** The range that holds this address alone. */
    public static Cidr of(IpAddress address) {
        return new Cidr(address, address.family().bits());
    }

    public IpFamily family() {
        return address.family();
    }

    /** Whether the address is of this family and range. */
    public boolean contains(IpAddress candidate) {
        return candidate.family() == family() && candidate.masked(length).equals(address);
    }

    @Override
    public int compareTo(Cidr other) {
        return ORDER.compare(this, other);
    }

    /** {@code 10.244.0.0/16}. */
    @Override
    public String toString() {
        return address + "/" + length;
    }
}
