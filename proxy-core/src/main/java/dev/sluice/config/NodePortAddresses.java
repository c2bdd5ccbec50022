package dev.sluice.config;

import dev.sluice.model.Cidr;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Which addresses of the node NodePorts are served on: {@code nodePortAddresses} of kube-proxy.
 *
 * <p>Immutable; any thread.
 *
 * @param keywords any of them is enough
 * @param ranges so is any of these
 */
public record NodePortAddresses(Set<Keyword> keywords, List<Cidr> ranges) {
    /** What stands for addresses that are not known beforehand. */
    public enum Keyword {
        /** The node's own address of each family. */
        PRIMARY,
        /** 127.0.0.1 and ::1 (KEP-6032). */
        LOCALHOST,
        /** All addresses of all interfaces. */
        ALL
    }

    /** NodePorts are not served. */
    public static final NodePortAddresses NONE = new NodePortAddresses(Set.of(), List.of());

    public NodePortAddresses {
        keywords = Collections.unmodifiableSortedSet(new TreeSet<>(keywords));
        ranges = List.copyOf(ranges);
    }

    /**
     * Reads keywords and address ranges.
     *
     * @throws IllegalArgumentException naming the rule that an entry breaks
     */
    public static NodePortAddresses parse(List<String> texts) {
        Set<Keyword> keywords = EnumSet.noneOf(Keyword.class);
        List<Cidr> ranges = new ArrayList<>();
        for (String text : texts) {
            Keyword keyword = keyword(text);
            if (keyword != null) {
                keywords.add(keyword);
            } else {
                try {
                    ranges.add(Cidr.parse(text));
                } catch (IllegalArgumentException e) {
                    throw new IllegalArgumentException(
                            "'%s' is none of primary, localhost, all and %s"
                                    .formatted(text, e.getMessage()),
                            e);
                }
            }
        }
        return new NodePortAddresses(keywords, ranges);
    }

    private static @Nullable Keyword keyword(String text) {
        for (Keyword keyword : Keyword.values()) {
            if (keyword.name().toLowerCase(Locale.ROOT).equals(text)) {
                return keyword;
            }
        }
        return null;
    }
}
