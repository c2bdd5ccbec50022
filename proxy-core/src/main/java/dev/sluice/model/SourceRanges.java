package dev.sluice.model;

import java.util.List;

/**
 * Which clients may use the load balancer and external addresses of a Service ({@code
 * spec.loadBalancerSourceRanges}).
 *
 * <p>Unlike in kube-proxy, ranges of one family alone do not open the addresses of the other one.
 *
 * <p>Immutable; any thread.
 *
 * @param limited whether there is a list at all; without one every client may
 * @param ranges those who may, in ascending order; empty although limited: nobody
 */
public record SourceRanges(boolean limited, List<Cidr> ranges) {
    /** Everybody may. */
    public static final SourceRanges ANY = new SourceRanges(false, List.of());

    public SourceRanges {
        ranges = ranges.stream().sorted().distinct().toList();
        if (!limited && !ranges.isEmpty()) {
            throw new IllegalArgumentException("ranges without a limit");
        }
    }

    /** Only these may; with an empty list nobody. */
    public static SourceRanges only(List<Cidr> ranges) {
        return new SourceRanges(true, ranges);
    }

    public boolean allows(IpAddress client) {
        return !limited || ranges.stream().anyMatch(range -> range.contains(client));
    }

    /** The ranges of one family. */
    public List<Cidr> ranges(IpFamily family) {
        return ranges.stream().filter(range -> range.family() == family).toList();
    }
}
