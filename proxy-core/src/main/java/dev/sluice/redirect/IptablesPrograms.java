package dev.sluice.redirect;

import static java.util.stream.Collectors.toMap;

import dev.sluice.config.ProxyConfig.Redirect.Flavour;
import dev.sluice.model.IpFamily;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The iptables programs that are installed, and nft.
 *
 * <p>Immutable; any thread.
 */
final class IptablesPrograms {
    /** Where they are even if the PATH of a service leaves these out. */
    private static final String SYSTEM_DIRECTORIES = "/usr/local/sbin:/usr/sbin:/sbin";

    private final List<IptablesProgram> programs;
    private final Optional<Flavour> systemFlavour;
    private final Optional<NftProgram> nft;

    private IptablesPrograms(
            List<IptablesProgram> programs,
            Optional<Flavour> systemFlavour,
            Optional<NftProgram> nft) {
        this.programs = List.copyOf(programs);
        this.systemFlavour = systemFlavour;
        this.nft = nft;
    }

    /** The directories of PATH, then those of system programs. */
    static List<Path> systemPath() {
        String path = System.getenv().getOrDefault("PATH", "");
        return Stream.of((path + ":" + SYSTEM_DIRECTORIES).split(":", -1))
                .filter(directory -> directory.startsWith("/"))
                .map(Path::of)
                .distinct()
                .toList();
    }

    /** Looks for the programs, and asks the system's {@code iptables} for its flavour. */
    static IptablesPrograms find(List<Path> path, Commands commands) throws RedirectException {
        List<IptablesProgram> programs = new ArrayList<>();
        Optional<Flavour> systemFlavour = Optional.empty();
        for (IpFamily family : IpFamily.values()) {
            String name = family == IpFamily.IPV4 ? "iptables" : "ip6tables";
            Optional<Flavour> plain = flavourOf(which(path, name + "-restore"), commands);
            systemFlavour = systemFlavour.or(() -> plain);
            for (Flavour flavour : List.of(Flavour.LEGACY, Flavour.NFT)) {
                pair(path, name + infix(flavour), flavour, family)
                        .or(
                                () ->
                                        plain.filter(flavour::equals)
                                                .flatMap(f -> pair(path, name, f, family)))
                        .ifPresent(programs::add);
            }
        }
        return new IptablesPrograms(
                programs, systemFlavour, which(path, "nft").map(NftProgram::new));
    }

    private static String infix(Flavour flavour) {
        return flavour == Flavour.LEGACY ? "-legacy" : "-nft";
    }

    private static Optional<IptablesProgram> pair(
            List<Path> path, String name, Flavour flavour, IpFamily family) {
        return which(path, name + "-save")
                .flatMap(
                        save ->
                                which(path, name + "-restore")
                                        .map(
                                                restore ->
                                                        new IptablesProgram(
                                                                flavour, family, save, restore)));
    }

    /** The first program of that name. */
    static Optional<Path> which(List<Path> path, String program) {
        return path.stream()
                .map(directory -> directory.resolve(program))
                .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file))
                .findFirst();
    }

    /** Versions before 1.8 know no flavours: they are what is called legacy today. */
    private static Optional<Flavour> flavourOf(Optional<Path> restore, Commands commands)
            throws RedirectException {
        if (restore.isEmpty()) {
            return Optional.empty();
        }
        Commands.Result result = commands.run(List.of(restore.get().toString(), "--version"), "");
        return Optional.of(result.output().contains("nf_tables") ? Flavour.NFT : Flavour.LEGACY);
    }

    /**
     * The programs to write with, by family; IPv6 may be missing.
     *
     * @param wanted {@code AUTO}: the flavour whose tables hold rules of other programs, where only
     *     legacy does, since rules of the two don't see one another; else the system's
     * @throws RedirectException if there are none for IPv4
     */
    Map<IpFamily, IptablesProgram> choose(Flavour wanted, Commands commands)
            throws RedirectException {
        Flavour flavour = wanted == Flavour.AUTO ? flavourInUse(commands) : wanted;
        Map<IpFamily, IptablesProgram> chosen =
                of(flavour).collect(toMap(IptablesProgram::family, program -> program));
        if (!chosen.containsKey(IpFamily.IPV4)) {
            throw new RedirectException(
                    "iptables%s-restore not found in PATH: install the iptables package, or run with redirect = none"
                            .formatted(wanted == Flavour.AUTO ? "" : infix(wanted)));
        }
        return chosen;
    }

    private Flavour flavourInUse(Commands commands) throws RedirectException {
        Flavour system =
                systemFlavour.orElse(
                        of(Flavour.NFT).findAny().isEmpty() ? Flavour.LEGACY : Flavour.NFT);
        if (system == Flavour.LEGACY || !hasForeignRules(Flavour.LEGACY, commands)) {
            return system;
        }
        return hasForeignRules(Flavour.NFT, commands) ? system : Flavour.LEGACY;
    }

    private boolean hasForeignRules(Flavour flavour, Commands commands) throws RedirectException {
        for (IptablesProgram program : of(flavour).toList()) {
            SavedTable nat = program.read(commands).getOrDefault(NatRules.TABLE, SavedTable.EMPTY);
            if (nat.hasForeignRules()) {
                return true;
            }
        }
        return false;
    }

    private Stream<IptablesProgram> of(Flavour flavour) {
        return programs.stream().filter(program -> program.flavour() == flavour);
    }

    /** Every program found, of both flavours and families. */
    List<IptablesProgram> all() {
        return programs;
    }

    /** Empty if it is not installed: iptables doesn't need it. */
    Optional<NftProgram> nft() {
        return nft;
    }
}
