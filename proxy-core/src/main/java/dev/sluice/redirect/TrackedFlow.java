package dev.sluice.redirect;

import dev.sluice.model.FrontEnd;
import dev.sluice.model.IpAddress;
import dev.sluice.model.MalformedAddressException;
import dev.sluice.model.Protocol;
import java.util.Optional;

/**
 * One entry of the kernel's connection tracking, as {@code conntrack -L} prints it.
 *
 * <p>Immutable; any thread.
 *
 * @param asked what the client asked for
 * @param source where answers come from: the place that packets are led to
 * @param sourcePort 0 to 65535
 */
record TrackedFlow(FrontEnd asked, IpAddress source, int sourcePort) {

    /**
     * Reads a line such as {@code udp 17 29 src=10.1.0.2 dst=10.96.0.10 sport=40000 dport=53
     * [UNREPLIED] src=192.0.2.10 dst=10.1.0.2 sport=20001 dport=40000 mark=0 use=1}.
     *
     * @return empty if it is another kind of line
     */
    static Optional<TrackedFlow> parse(String line) {
        Optional<Protocol> protocol =
                line.startsWith("udp ")
                        ? Optional.of(Protocol.UDP)
                        : line.startsWith("tcp ") ? Optional.of(Protocol.TCP) : Optional.empty();
        int reply = line.lastIndexOf(" src=");
        int first = line.indexOf(" src=");
        if (protocol.isEmpty() || first < 0 || first == reply) {
            return Optional.empty();
        }
        try {
            String original = line.substring(first, reply);
            String answers = line.substring(reply);
            return Optional.of(
                    new TrackedFlow(
                            new FrontEnd(
                                    IpAddress.parse(value(original, "dst")),
                                    Integer.parseInt(value(original, "dport")),
                                    protocol.get()),
                            IpAddress.parse(value(answers, "src")),
                            Integer.parseInt(value(answers, "sport"))));
        } catch (MalformedAddressException | NumberFormatException e) {
            return Optional.empty();
        } catch (IllegalArgumentException e) {
            // Port 0 belongs to no front end.
            return Optional.empty();
        }
    }

    private static String value(String words, String key) {
        int start = words.indexOf(" " + key + "=");
        if (start < 0) {
            return "";
        }
        start += key.length() + 2;
        int end = words.indexOf(' ', start);
        return words.substring(start, end < 0 ? words.length() : end);
    }

    /** Whether packets go where the client sent them. */
    boolean isDirect() {
        return source.equals(asked.address()) && sourcePort == asked.port();
    }

    /** Whether packets go where a rule leads. */
    boolean leadsTo(RedirectTarget target) {
        return sourcePort == target.port()
                && (target.address().isEmpty() || target.address().get().equals(source));
    }
}
