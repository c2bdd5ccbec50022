package dev.sluice.state;

import dev.sluice.config.PortRanges;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the kernel says about local ports ({@code ip-sysctl.rst}).
 *
 * <p>Immutable; any thread.
 *
 * @param ephemeral {@code net.ipv4.ip_local_port_range}: ports of outgoing connections, IPv6 too
 * @param reserved {@code net.ipv4.ip_local_reserved_ports}: ports that the administrator keeps for
 *     a program
 */
record KernelPorts(PortRanges ephemeral, PortRanges reserved) {
    private static final Logger log = LoggerFactory.getLogger(KernelPorts.class);
    private static final Path FOLDER = Path.of("/proc/sys/net/ipv4");

    /** The dynamic ports of RFC 6335, for systems other than Linux. */
    private static final String RFC_6335 = "49152-65535";

    static KernelPorts read() {
        return read(FOLDER);
    }

    static KernelPorts read(Path folder) {
        return new KernelPorts(
                ranges(folder.resolve("ip_local_port_range"), RFC_6335),
                ranges(folder.resolve("ip_local_reserved_ports"), ""));
    }

    private static PortRanges ranges(Path file, String fallback) {
        if (!Files.exists(file)) {
            return PortRanges.parse(fallback);
        }
        try {
            String text = Files.readString(file, StandardCharsets.US_ASCII).strip();
            return PortRanges.parse(text.replaceAll("\\s+", "-"));
        } catch (IOException | IllegalArgumentException e) {
            log.warn("{} can not be read; taken as '{}': {}", file, fallback, e.toString());
            return PortRanges.parse(fallback);
        }
    }
}
