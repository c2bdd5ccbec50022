package dev.sluice.kubernetes;

import dev.sluice.model.Cidr;
import dev.sluice.model.IpAddress;
import dev.sluice.model.MalformedAddressException;
import dev.sluice.model.Protocol;
import dev.sluice.model.TrafficPolicy;
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

    /** Absent and 0 mean that there is none, and so does a value that is none: 0 is given. */
    static int optionalPort(String field, @Nullable Integer value, ObjectProblems problems) {
        return value == null || value == 0 ? 0 : port(field, value, problems).orElse(0);
    }

    /** Absent means Cluster. */
    static Optional<TrafficPolicy> trafficPolicy(
            String field, @Nullable String value, ObjectProblems problems) {
        if (value == null || value.isEmpty() || value.equals("Cluster")) {
            return Optional.of(TrafficPolicy.CLUSTER);
        }
        if (value.equals("Local")) {
            return Optional.of(TrafficPolicy.LOCAL);
        }
        problems.add(field, value, "is not one of Cluster, Local");
        return Optional.empty();
    }

    /** Blanks around it are left out, as the API server does. */
    static Optional<Cidr> range(String field, @Nullable String value, ObjectProblems problems) {
        if (value == null) {
            problems.add(field, null, "is missing");
            return Optional.empty();
        }
        try {
            return Optional.of(Cidr.parse(value.strip()));
        } catch (IllegalArgumentException e) {
            problems.add(field, value, String.valueOf(e.getMessage()));
            return Optional.empty();
        }
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

    /** An address at which a Service is asked for. */
    static Optional<IpAddress> vip(String field, @Nullable String value, ObjectProblems problems) {
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
