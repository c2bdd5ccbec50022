package dev.sluice.redirect;

import dev.sluice.model.FrontEnd;
import dev.sluice.model.IpAddress;
import dev.sluice.model.MalformedAddressException;
import dev.sluice.model.Protocol;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The text of one rule, as {@code iptables-save} writes it after {@code -A CHAIN}.
 *
 * <p>Threads: stateless; any thread.
 */
final class RuleText {
    /** What inet_ntop makes of an address whose first 96 bits are zero: {@code ::1.2.3.4}. */
    private static final Pattern DOTTED_TAIL = Pattern.compile("::(\\d+\\.){3}\\d+");

    private static final Pattern FRONT_END =
            Pattern.compile("^-d (\\S+)/\\d+ -p (tcp|udp) .*--dport (\\d{1,5})(?: |$)");

    private static final Pattern ADDRESS = Pattern.compile("^-d (\\S+)/\\d+ -j (\\S+)$");

    private static final Pattern DESTINATION =
            Pattern.compile("^-p (tcp|udp) -j DNAT --to-destination \\S+:(\\d{1,5})$");

    private RuleText() {}

    /**
     * Whether the kernel does the same for both: options may stand in another order, comments and
     * the match that {@code -p} implies may be missing, and an address may be written otherwise.
     */
    static boolean equivalent(String one, String other) {
        return one.equals(other) || options(one).equals(options(other));
    }

    /** The chain or target that the rule goes to; empty if it only counts. */
    static String target(String rule) {
        List<String> words = words(rule);
        for (int i = 0; i < words.size() - 1; i++) {
            switch (words.get(i)) {
                case "-j", "--jump", "-g", "--goto" -> {
                    return words.get(i + 1);
                }
                default -> {}
            }
        }
        return "";
    }

    /** The address whose packets go to a chain, all of them; empty if it is another rule. */
    static Optional<IpAddress> addressOf(String rule, String chain) {
        Matcher matcher = ADDRESS.matcher(rule);
        try {
            return matcher.find() && matcher.group(2).equals(chain)
                    ? Optional.of(IpAddress.parse(matcher.group(1)))
                    : Optional.empty();
        } catch (MalformedAddressException e) {
            return Optional.empty();
        }
    }

    /**
     * The port that packets of a protocol are led to on an address; empty if it is another rule.
     */
    static Optional<Integer> destinationPort(String rule, Protocol protocol) {
        Matcher matcher = DESTINATION.matcher(rule);
        return matcher.find() && matcher.group(1).equals(protocol.lowerCase())
                ? Optional.of(Integer.parseInt(matcher.group(2)))
                : Optional.empty();
    }

    /** The front end whose packets the rule matches; empty if it matches anything else. */
    static Optional<FrontEnd> frontEnd(String rule) {
        Matcher matcher = FRONT_END.matcher(rule);
        if (!matcher.find()) {
            return Optional.empty();
        }
        try {
            return Optional.of(
                    new FrontEnd(
                            IpAddress.parse(matcher.group(1)),
                            Integer.parseInt(matcher.group(3)),
                            Protocol.valueOf(matcher.group(2).toUpperCase(Locale.ROOT))));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static List<String> options(String rule) {
        List<String> options = new ArrayList<>();
        StringBuilder option = new StringBuilder();
        boolean negated = false;
        for (String word : words(rule)) {
            boolean starts = word.equals("!") || (word.startsWith("-") && !negated);
            if (starts && !option.isEmpty()) {
                options.add(option.toString());
                option.setLength(0);
            }
            negated = word.equals("!");
            option.append(option.isEmpty() ? "" : " ").append(canonical(word));
        }
        options.add(option.toString());
        options.removeIf(text -> text.equals("-m comment") || text.startsWith("--comment "));
        options.removeIf(
                text -> text.startsWith("-m ") && options.contains("-p " + text.substring(3)));
        options.sort(null);
        return options;
    }

    private static String canonical(String word) {
        Matcher matcher = DOTTED_TAIL.matcher(word);
        return matcher.find()
                ? matcher.replaceFirst(IpAddress.parse(matcher.group()).toString())
                : word;
    }

    /** Splits at spaces; double quotes and backslashes as iptables-restore reads them. */
    private static List<String> words(String rule) {
        List<String> words = new ArrayList<>();
        StringBuilder word = new StringBuilder();
        boolean quoted = false;
        for (int i = 0; i < rule.length(); i++) {
            char c = rule.charAt(i);
            if (c == '\\' && quoted && i + 1 < rule.length()) {
                word.append(rule.charAt(++i));
            } else if (c == '"') {
                quoted = !quoted;
            } else if (c == ' ' && !quoted) {
                if (!word.isEmpty()) {
                    words.add(word.toString());
                }
                word.setLength(0);
            } else {
                word.append(c);
            }
        }
        if (!word.isEmpty()) {
            words.add(word.toString());
        }
        return words;
    }
}
