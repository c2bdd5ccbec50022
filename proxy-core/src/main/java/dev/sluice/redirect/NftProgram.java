package dev.sluice.redirect;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The program that shows all of nf_tables, of which iptables shows only its own tables.
 *
 * <p>Immutable; any thread.
 *
 * @param path absolute path of {@code nft}
 */
record NftProgram(Path path) {
    /** What it says, among other words, where the kernel has no nf_tables. */
    private static final Pattern WITHOUT_NF_TABLES =
            Pattern.compile(
                    "(Protocol not supported|Operation not supported|Invalid argument)\\s*$",
                    Pattern.MULTILINE);

    /** Family and name of every table, such as {@code ip6 kube-proxy}. */
    List<String> tables(Commands commands) throws RedirectException {
        Commands.Result result = commands.run(List.of(path.toString(), "list", "tables"), "");
        if (result.exitCode() != 0) {
            if (WITHOUT_NF_TABLES.matcher(result.errors()).find()) {
                return List.of();
            }
            throw new RedirectException(
                    "%s list tables failed with exit code %d: %s"
                            .formatted(path, result.exitCode(), result.errors().strip()));
        }
        return result.output()
                .lines()
                .filter(line -> line.startsWith("table "))
                .map(line -> line.substring("table ".length()).strip())
                .toList();
    }
}
