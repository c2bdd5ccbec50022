package dev.sluice.kubernetes;

import dev.sluice.model.IpAddress;
import dev.sluice.model.MalformedAddressException;
import dev.sluice.model.Protocol;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Rules of fields that several kinds of object share. Each method takes the raw value and gives the
 * checked one, or notes the problem and gives nothing.
 *
 * <p>Stateless; any thread.
 */
final class FieldRules {
    private static final int LONGEST_LABEL = 63;

    private FieldRules() {}

    static <T> List<T> orEmpty(@Nullable List<T> list) {
        return list == null ? List.of() : list;
    }

    static Optional<String> label(String field, @Nullable String value, ObjectProblems problems) {
        if (value == null || value.isEmpty()) {
            problems.add(field, value, "is missing");
            return Optional.empty();
        }
        if (!isLabel(value)) {
            problems.add(
                    field, value, "is not a label of at most 63 of a-z, 0-9 and '-' (RFC 1123)");
            return Optional.empty();
        }
        return Optional.of(value);
    }

    /** RFC 1123, as the API validates the names of Services, namespaces and ports. */
    private static boolean isLabel(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean inner = i > 0 && i < text.length() - 1;
            if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && !(c == '-' && inner)) {
                return false;
            }
        }
        return text.length() <= LONGEST_LABEL;
    }

    static Optional<Integer> port(String field, @Nullable Integer value, ObjectProblems problems) {
        if (value == null) {
            problems.add(field, null, "is missing");
            return Optional.empty();
        }
        if (value < 1 || value > 65535) {
            problems.add(field, value, "is not in 1..65535");
            return Optional.empty();
        }
        return Optional.of(value);
    }

    /** Absent means TCP. */
    static Optional<Protocol> protocol(
            String field, @Nullable String value, ObjectProblems problems) {
        if (value == null || value.isEmpty()) {
            return Optional.of(Protocol.TCP);
        }
        for (Protocol protocol : Protocol.values()) {
            if (protocol.name().equals(value)) {
                return Optional.of(protocol);
            }
        }
        problems.add(field, value, "is not one of TCP, UDP, SCTP");
        return Optional.empty();
    }

    static Optional<IpAddress> clusterIp(
            String field, @Nullable String value, ObjectProblems problems) {
        return endpointAddress(field, value, LoopbackEndpoints.REFUSED, problems);
    }

    static Optional<IpAddress> endpointAddress(
            String field,
            @Nullable String value,
            LoopbackEndpoints loopback,
            ObjectProblems problems) {
        if (value == null) {
            problems.add(field, null, "is missing");
            return Optional.empty();
        }
        IpAddress address;
        try {
            address = IpAddress.parse(value);
        } catch (MalformedAddressException e) {
            problems.add(field, value, "is not an IP address: " + e.rule());
            return Optional.empty();
        }
        Optional<String> range = forbiddenRange(address, loopback);
        if (range.isPresent()) {
            problems.add(field, value, "is " + range.get() + " address, which is never served");
            return Optional.empty();
        }
        return Optional.of(address);
    }

    private static Optional<String> forbiddenRange(IpAddress address, LoopbackEndpoints loopback) {
        if (address.isLoopback()) {
            return loopback == LoopbackEndpoints.ALLOWED
                    ? Optional.empty()
                    : Optional.of("a loopback");
        }
        if (address.isUnspecified()) {
            return Optional.of("an unspecified");
        }
        if (address.isLinkLocal()) {
            return Optional.of("a link-local");
        }
        if (address.isMulticast()) {
            return Optional.of("a multicast");
        }
        return address.isBroadcast() ? Optional.of("a broadcast") : Optional.empty();
    }
}
