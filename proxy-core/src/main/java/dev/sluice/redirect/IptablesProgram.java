package dev.sluice.redirect;

import dev.sluice.config.ProxyConfig.Redirect.Flavour;
import dev.sluice.model.IpFamily;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The pair of programs that read and write the tables of one flavour and family.
 *
 * <p>Immutable; any thread.
 *
 * @param flavour {@code LEGACY} or {@code NFT}
 * @param save absolute path of {@code iptables-save} or its like
 * @param restore absolute path of {@code iptables-restore} or its like
 */
record IptablesProgram(Flavour flavour, IpFamily family, Path save, Path restore) {
    private static final int SHOWN_ERROR_LINES = 3;

    /**
     * Reads every table in use. No table is named: to read a legacy table by name loads its kernel
     * module, and thereby NAT and connection tracking, while without a name the program reads those
     * of {@code /proc/net/ip_tables_names}.
     *
     * @return tables by name
     */
    Map<String, SavedTable> read(Commands commands) throws RedirectException {
        List<String> command = List.of(save.toString());
        Commands.Result result = commands.run(command, "");
        if (result.exitCode() != 0 && result.errors().contains("Failed to initialize nft")) {
            // The kernel has no nf_tables, so nothing is there; a write will say so.
            return Map.of();
        }
        requireSuccess(command, result, "");
        return SavedTable.parse(result.output());
    }

    /**
     * Applies one transaction.
     *
     * @param table name of the one table in {@code patch}, for the error
     * @param lockWait how long to wait for the xtables lock, rounded up to seconds; only the legacy
     *     flavour has one
     */
    void write(Commands commands, String table, String patch, Duration lockWait)
            throws RedirectException {
        long seconds = Math.max(1, lockWait.plusMillis(999).toSeconds());
        List<String> command =
                List.of(restore.toString(), "--noflush", "-w", Long.toString(seconds));
        Commands.Result result = commands.run(command, patch);
        if (result.exitCode() == 4 && result.errors().contains("xtables lock")) {
            throw new RedirectException(
                    "%s for table %s: another program held the xtables lock for %d s (exit code 4)"
                            .formatted(String.join(" ", command), table, seconds));
        }
        requireSuccess(command, result, " for table " + table);
    }

    private static void requireSuccess(List<String> command, Commands.Result result, String purpose)
            throws RedirectException {
        if (result.exitCode() != 0) {
            String errors =
                    result.errors()
                            .lines()
                            .filter(line -> !line.isBlank() && !line.startsWith("# Warning"))
                            .limit(SHOWN_ERROR_LINES)
                            .collect(Collectors.joining(" / "));
            throw new RedirectException(
                    "%s%s failed with exit code %d: %s"
                            .formatted(
                                    String.join(" ", command), purpose, result.exitCode(), errors));
        }
    }

    /** {@code iptables (legacy)} or {@code ip6tables (nft)}. */
    @Override
    public String toString() {
        return (family == IpFamily.IPV4 ? "iptables" : "ip6tables")
                + (flavour == Flavour.LEGACY ? " (legacy)" : " (nft)");
    }
}
