package dev.sluice.config;

import java.time.DateTimeException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;

/**
 * Values of kube-proxy as Sluice writes them.
 *
 * <p>Threads: stateless; any thread.
 */
final class KubeProxyValues {
    private static final Map<String, String> DETECTION =
            Map.of(
                    "ClusterCIDR", "cluster-cidr",
                    "NodeCIDR", "node-cidr",
                    "BridgeInterface", "bridge-interface",
                    "InterfaceNamePrefix", "interface-name-prefix");

    private KubeProxyValues() {}

    /** A bare address gets the port, as in kube-proxy; an empty text switches off. */
    static String address(String text, int port) {
        if (text.isEmpty()) {
            return "none";
        }
        boolean isBare4 = text.indexOf(':') < 0;
        boolean isBare6 = !text.startsWith("[") && text.indexOf(':') != text.lastIndexOf(':');
        return isBare4 ? text + ":" + port : isBare6 ? "[" + text + "]:" + port : text;
    }

    /**
     * @throws IllegalArgumentException with the rule, for what is no mode
     */
    static String detection(String text) {
        String mode = DETECTION.get(text);
        if (mode == null) {
            throw new IllegalArgumentException(
                    "must be one of ClusterCIDR, NodeCIDR, BridgeInterface, InterfaceNamePrefix");
        }
        return mode;
    }

    /**
     * {@code 20000-21000}, {@code 20000+1000} or one port.
     *
     * @throws IllegalArgumentException with the rule, for what is not even that
     */
    static String portRange(String text) {
        int plus = text.indexOf('+');
        if (plus < 0) {
            return text;
        }
        try {
            int first = Integer.parseInt(text.substring(0, plus).strip());
            int more = Integer.parseInt(text.substring(plus + 1).strip());
            return first + "-" + Math.addExact(first, more);
        } catch (NumberFormatException | ArithmeticException e) {
            throw new IllegalArgumentException(
                    "must be a port range such as 20000-21000 or 20000+1000", e);
        }
    }

    /**
     * What Go writes, such as {@code 1m30s}, in milliseconds.
     *
     * @throws IllegalArgumentException with the rule, for what is no duration
     */
    static String duration(String text) {
        try {
            return Duration.parse("PT" + text.toUpperCase(Locale.ROOT)).toMillis() + "ms";
        } catch (DateTimeException e) {
            if (text.matches("\\d{1,9}ms")) {
                return text;
            }
            throw new IllegalArgumentException("must be a duration such as 1m30s or 500ms", e);
        }
    }
}
