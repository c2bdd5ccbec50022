package dev.sluice.admin;

import static dev.sluice.admin.RefusedRequest.badRequest;
import static dev.sluice.admin.RefusedRequest.quoted;

import dev.sluice.model.IpAddress;
import dev.sluice.model.MalformedAddressException;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.net.InetAddress;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Whom a request may be addressed to ({@code Host}, RFC 9110 section 7.2). A web page can have a
 * browser send requests to any address under a name of the page's own (DNS rebinding); a request
 * that names this server by its address, or by a name that was allowed, is none of those. Neither
 * is one that names nobody, which HTTP/1.0 allows and HTTP/1.1 does not (RFC 9112 section 3.2):
 * health checks of load balancers send such, browsers never.
 *
 * <p>Immutable; any thread.
 */
final class HostRule {
    private static final Pattern FORM =
            Pattern.compile("(?:\\[(?<v6>[^]]*)]|(?<name>[^:\\[\\]]+))(?::\\d{1,5})?");

    private final Set<String> allowedNames;

    /**
     * @param allowedNames in lower case
     */
    HostRule(Set<String> allowedNames) {
        this.allowedNames = Set.copyOf(allowedNames);
    }

    /**
     * Lets a request pass or not.
     *
     * @param version of the request
     * @param hosts all values of {@code Host}
     * @param local the address that the client connected to
     * @throws RefusedRequest with the rule
     */
    void check(HttpVersion version, List<String> hosts, InetAddress local) {
        if (hosts.isEmpty() && version.equals(HttpVersion.HTTP_1_0)) {
            return;
        }
        if (hosts.size() != 1) {
            throw badRequest("header Host: must stand once, and stands " + hosts.size() + " times");
        }
        String host = hosts.get(0).strip();
        Matcher matcher = FORM.matcher(host);
        if (!matcher.matches()) {
            throw badRequest(
                    "header Host " + quoted(host) + ": must be a name or an address, and a port");
        }
        String name = matcher.group("name");
        if (name == null ? !isOwn(matcher.group("v6"), local) : !isAllowed(name, local)) {
            throw new RefusedRequest(
                    HttpResponseStatus.MISDIRECTED_REQUEST,
                    "header Host "
                            + quoted(host)
                            + ": must be localhost, a loopback address, the address of this server"
                            + " or a name of sluice.admin.allowed-hosts");
        }
    }

    private boolean isAllowed(String name, InetAddress local) {
        String lower = name.toLowerCase(Locale.ROOT);
        return lower.equals("localhost") || allowedNames.contains(lower) || isOwn(name, local);
    }

    private static boolean isOwn(String text, InetAddress local) {
        try {
            IpAddress address = IpAddress.parse(text);
            return address.isLoopback() || address.equals(IpAddress.of(local));
        } catch (MalformedAddressException e) {
            return false;
        }
    }
}
