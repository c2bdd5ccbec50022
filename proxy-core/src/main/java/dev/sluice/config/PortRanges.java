package dev.sluice.config;

import java.util.List;

/**
 * A set of port numbers as inclusive ranges.
 *
 * <p>Immutable; any thread.
 */
public record PortRanges(List<Range> ranges) {
    public PortRanges {
        ranges = List.copyOf(ranges);
    }

    /** From {@code first} to {@code last}, both included: 1 ≤ first ≤ last ≤ 65535. */
    public record Range(int first, int last) {
        public Range {
            if (first < 1 || last > 65535 || first > last) {
                throw new IllegalArgumentException(
                        "port range " + first + "-" + last + " is not within 1-65535 in order");
            }
        }
    }
}
