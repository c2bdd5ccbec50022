package dev.sluice.config;

import dev.sluice.model.IpAddress;
import dev.sluice.model.IpFamily;
import java.net.InetSocketAddress;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An IP address and a port, as {@code 127.0.0.1:10249} or {@code [::1]:10249}.
 *
 * <p>Threads: stateless; any thread.
 */
final class SocketAddressText {
    private static final Pattern FORM =
            Pattern.compile("(?:\\[(?<v6>[^]]+)]|(?<v4>[^:]+)):(?<port>\\d{1,5})");
    private static final int MAX_PORT = 65_535;

    private SocketAddressText() {}

    /**
     * Reads an address that a socket can be bound to; port 0 is any free one.
     *
     * @throws IllegalArgumentException with the rule that the text breaks
     */
    static InetSocketAddress parse(String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            throw notAnAddress();
        }
        String v6 = matcher.group("v6");
        IpAddress address = IpAddress.parse(v6 == null ? matcher.group("v4") : v6);
        int port = Integer.parseInt(matcher.group("port"));
        if ((v6 != null) != (address.family() == IpFamily.IPV6)
                || port > MAX_PORT
                || address.isMulticast()
                || address.isBroadcast()) {
            throw notAnAddress();
        }
        return new InetSocketAddress(address.toInetAddress(), port);
    }

    private static IllegalArgumentException notAnAddress() {
        return new IllegalArgumentException(
                "must be none, or an address that a listener can be bound to and a port from 0 to"
                        + " 65535, such as 127.0.0.1:10249 or [::1]:10249");
    }
}
