package dev.sluice.config;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A set of port numbers as inclusive ranges that do not overlap.
 *
 * <p>Immutable; any thread.
 */
public record PortRanges(List<Range> ranges) {
    private static final Pattern RANGE = Pattern.compile("(\\d{1,5})(?:-(\\d{1,5}))?");

    /**
     * Keeps the order given.
     *
     * @throws IllegalArgumentException if two ranges overlap
     */
    public PortRanges {
        ranges = List.copyOf(ranges);
        List<Range> sorted = new ArrayList<>(ranges);
        sorted.sort(Comparator.comparingInt(Range::first));
        for (int i = 1; i < sorted.size(); i++) {
            if (sorted.get(i).first() <= sorted.get(i - 1).last()) {
                throw new IllegalArgumentException(
                        "port ranges " + sorted.get(i - 1) + " and " + sorted.get(i) + " overlap");
            }
        }
    }

    /**
     * Reads ranges separated by commas: {@code 10000-29999,61000-65535}. A single port stands for
     * the range of itself; an empty text is no range.
     *
     * @throws IllegalArgumentException with the text and the broken rule
     */
    public static PortRanges parse(String text) {
        List<Range> ranges = new ArrayList<>();
        for (String part : text.isBlank() ? new String[0] : text.split(",", -1)) {
            Matcher matcher = RANGE.matcher(part.strip());
            if (!matcher.matches()) {
                throw new IllegalArgumentException(
                        "'" + part.strip() + "' is not a port range such as 10000-29999");
            }
            String first = matcher.group(1);
            String last = matcher.group(2) == null ? first : matcher.group(2);
            ranges.add(new Range(Integer.parseInt(first), Integer.parseInt(last)));
        }
        return new PortRanges(ranges);
    }

    public boolean contains(int port) {
        return ranges.stream().anyMatch(range -> range.first() <= port && port <= range.last());
    }

    /** Every port once, in the order of the ranges. */
    public IntStream ports() {
        return ranges.stream()
                .flatMapToInt(range -> IntStream.rangeClosed(range.first(), range.last()));
    }

    /** The text that {@link #parse} reads. */
    @Override
    public String toString() {
        return ranges.stream().map(Range::toString).collect(Collectors.joining(","));
    }

    /** From {@code first} to {@code last}, both included: 1 ≤ first ≤ last ≤ 65535. */
    public record Range(int first, int last) {
        public Range {
            if (first < 1 || last > 65535 || first > last) {
                throw new IllegalArgumentException(
                        "port range " + first + "-" + last + " is not within 1-65535 in order");
            }
        }

        /** {@code 10000-29999}, or {@code 10000} for a single port. */
        @Override
        public String toString() {
            return first == last ? Integer.toString(first) : first + "-" + last;
        }
    }
}
