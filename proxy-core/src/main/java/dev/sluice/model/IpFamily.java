package dev.sluice.model;

/** Address family of a front end or an endpoint ({@code spec.ipFamilies[]}). */
public enum IpFamily {
    IPV4(32),
    IPV6(128);

    private final int bits;

    IpFamily(int bits) {
        this.bits = bits;
    }

    /** Length of an address in bits: 32 or 128. */
    public int bits() {
        return bits;
    }
}
