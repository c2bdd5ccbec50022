package dev.sluice.config;

import dev.sluice.model.IpAddress;
import dev.sluice.model.MalformedAddressException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Addresses of API servers.
 *
 * <p>Threads: stateless; any thread.
 */
public final class ServerAddress {
    private static final String RULE =
            "must be a URL of scheme https with host and port only, such as https://192.0.2.1:6443;"
                    + " http is allowed for a loopback address";

    private ServerAddress() {}

    /**
     * A URL with scheme, host and, at most, a port.
     *
     * @throws IllegalArgumentException for a text that breaks the rule, which is its message
     */
    public static URI parse(String text) {
        URI address;
        try {
            address = new URI(text);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException(RULE, e);
        }
        @Nullable String scheme = address.getScheme();
        @Nullable String host = address.getHost();
        @Nullable String path = address.getPath();
        boolean isPlain =
                host != null
                        && address.getUserInfo() == null
                        && address.getQuery() == null
                        && address.getFragment() == null
                        && (path == null || path.isEmpty() || path.equals("/"));
        if (!isPlain || scheme == null || !isAllowed(scheme.toLowerCase(Locale.ROOT), host)) {
            throw new IllegalArgumentException(RULE);
        }
        return address;
    }

    /** The IP address that stands for the host; empty if it is a name. */
    public static Optional<IpAddress> literal(String host) {
        try {
            return Optional.of(
                    IpAddress.parse(
                            host.startsWith("[") ? host.substring(1, host.length() - 1) : host));
        } catch (MalformedAddressException e) {
            return Optional.empty();
        }
    }

    private static boolean isAllowed(String scheme, String host) {
        return scheme.equals("https") || (scheme.equals("http") && isLoopback(host));
    }

    private static boolean isLoopback(String host) {
        return host.equalsIgnoreCase("localhost")
                || literal(host).filter(IpAddress::isLoopback).isPresent();
    }
}
