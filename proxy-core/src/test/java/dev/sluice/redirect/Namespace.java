package dev.sluice.redirect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A network namespace with its own rules, removed by {@link #close}.
 *
 * <p>Its iptables wait for a lock file of their own, so tests neither wait for nor hold up other
 * programs of the machine. Threads: any thread.
 */
public final class Namespace implements AutoCloseable {
    private static final Commands HOST = new ProcessCommands(List.of(), Duration.ofSeconds(30));

    private final String name;
    private final Path lockFile;
    private final Commands commands;

    private Namespace(String name) {
        this.name = name;
        this.lockFile = Path.of("/run", name + ".lock");
        this.commands = new ProcessCommands(prefix(), Duration.ofSeconds(60));
    }

    /** Skips the test where the machine can't have one. */
    public static Namespace create(String role) throws RedirectException {
        assumeTrue(
                Files.isWritable(Path.of("/run"))
                        && Stream.of("ip", "iptables-legacy-save", "iptables-nft-save")
                                .allMatch(Namespace::isInstalled),
                "not root, or no ip or iptables of both flavours: whether the kernel takes the rules is not tested");
        byte[] random = new byte[4];
        new SecureRandom().nextBytes(random);
        Namespace namespace = new Namespace("sluice-" + role + HexFormat.of().formatHex(random));
        require(HOST, "ip", "netns", "add", namespace.name);
        namespace.run("ip", "link", "set", "lo", "up");
        // Without duplicate address detection an IPv6 address answers at once, else a pod seems
        // dead
        // for its first second.
        namespace.run(
                "sysctl",
                "-qw",
                "net.ipv6.conf.all.accept_dad=0",
                "net.ipv6.conf.default.accept_dad=0");
        return namespace;
    }

    private static boolean isInstalled(String program) {
        return Stream.of("/usr/sbin", "/sbin", "/usr/bin")
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    }

    /** Words that make a command run in here. */
    public List<String> prefix() {
        return List.of("env", "XTABLES_LOCKFILE=" + lockFile, "ip", "netns", "exec", name);
    }

    Path lockFile() {
        return lockFile;
    }

    /** As {@code ip netns} knows it. */
    public String name() {
        return name;
    }

    Commands commands() {
        return commands;
    }

    /** Runs a command that must succeed; gives what it printed. */
    public String run(String... command) throws RedirectException {
        return require(commands, command);
    }

    /** {@code ip} with these words. */
    public void ip(String words) throws RedirectException {
        run(("ip " + words).split(" "));
    }

    /** Gives rules to one of the restore programs, beside those that are there. */
    public void restore(String program, String rules) throws RedirectException {
        Commands.Result result = commands.run(List.of(program, "--noflush", "-w", "5"), rules);
        assertThat(result.exitCode()).as(result.errors()).isZero();
    }

    /**
     * All rules and chains of both flavours and families by program, without comments, counters,
     * policies and what is built in but empty.
     */
    public String ruleset() throws RedirectException {
        StringBuilder all = new StringBuilder();
        for (String program :
                List.of(
                        "iptables-legacy-save",
                        "iptables-nft-save",
                        "ip6tables-legacy-save",
                        "ip6tables-nft-save")) {
            new TreeMap<>(SavedTable.parse(run(program)))
                    .forEach(
                            (table, saved) ->
                                    saved.chains().entrySet().stream()
                                            .filter(
                                                    chain ->
                                                            !chain.getValue().isEmpty()
                                                                    || !isBuiltIn(chain.getKey()))
                                            .forEach(
                                                    chain ->
                                                            all.append(program)
                                                                    .append(' ')
                                                                    .append(table)
                                                                    .append(' ')
                                                                    .append(chain)
                                                                    .append('\n')));
        }
        return all.toString();
    }

    private static boolean isBuiltIn(String chain) {
        return List.of("PREROUTING", "INPUT", "FORWARD", "OUTPUT", "POSTROUTING").contains(chain);
    }

    private static String require(Commands commands, String... command) throws RedirectException {
        Commands.Result result = commands.run(List.of(command), "");
        assertThat(result.exitCode())
                .as(Stream.of(command).collect(Collectors.joining(" ")) + ": " + result.errors())
                .isZero();
        return result.output();
    }

    @Override
    public void close() throws IOException, RedirectException {
        require(HOST, "ip", "netns", "del", name);
        Files.deleteIfExists(lockFile);
    }
}
