package dev.sluice.app;

import dev.sluice.config.ConfigSources.Flag;
import dev.sluice.config.InvalidConfigException;
import dev.sluice.config.KubeProxyFlags;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The command line. */
@Command(
        name = "sluice",
        description = "A userspace Service proxy for Kubernetes.",
        synopsisSubcommandLabel = "COMMAND",
        mixinStandardHelpOptions = true,
        scope = ScopeType.INHERIT,
        versionProvider = Versions.class,
        sortOptions = false,
        usageHelpAutoWidth = true,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:done, or ended by a first SIGTERM, SIGINT or SIGHUP",
            "1:failed; the reason is on standard error",
            "2:wrong use of the command line",
            "3:invalid setting",
            "129, 130, 143:ended at once by a second SIGHUP, SIGINT or SIGTERM"
        })
public final class Main implements Runnable {
    private static final Set<String> COMMANDS =
            Set.of("run", "demo", "cleanup", "version", "rehearse", "help");

    /** Flags of no command, which may also stand before one. */
    private static final Set<String> OF_NONE =
            Set.of("-h", "--help", "-V", "--version", "-v", "--verbose");

    @Spec private CommandSpec spec = CommandSpec.create();

    @Option(
            names = {"-v", "--verbose"},
            scope = ScopeType.INHERIT,
            description =
                    "Log what happens to single connections, too, and the stack traces of errors.")
    private boolean verbose;

    private Main() {}

    /** Runs the program; see {@code --help}. */
    public static void main(String[] arguments) {
        System.exit(execute(System.getenv(), arguments));
    }

    /**
     * Runs the command line, also one made for kube-proxy: its flags are taken as settings, and
     * without a command the command is {@code run}.
     *
     * @return the exit code
     */
    static int execute(Map<String, String> environment, String... arguments) {
        KubeProxyFlags compatible;
        try {
            compatible = KubeProxyFlags.of(List.of(arguments));
        } catch (InvalidConfigException e) {
            commandLine(environment).getErr().println("sluice: " + e.getMessage());
            return ExitCodes.INVALID_CONFIG;
        }
        List<String> rest = new ArrayList<>(compatible.rest());
        if (!namesCommand(rest) && asksToRun(compatible)) {
            rest.add(0, "run");
        }
        if (!compatible.unused().isEmpty()) {
            // Not before the settings of the log are named.
            LoggerFactory.getLogger(Main.class)
                    .warn("not used by Sluice: {}", String.join(" ", compatible.unused()));
        }
        return commandLine(environment, compatible.flags()).execute(rest.toArray(String[]::new));
    }

    /** What stands further back may be the value of a flag. */
    private static boolean namesCommand(List<String> rest) {
        return rest.stream()
                .filter(argument -> !OF_NONE.contains(argument))
                .findFirst()
                .filter(COMMANDS::contains)
                .isPresent();
    }

    /** Any flag but those for help, the version and more of the log. */
    private static boolean asksToRun(KubeProxyFlags compatible) {
        return !compatible.flags().isEmpty()
                || !compatible.unused().isEmpty()
                || compatible.rest().stream()
                        .anyMatch(
                                argument ->
                                        argument.startsWith("-") && !OF_NONE.contains(argument));
    }

    /** The whole command line; reads the given environment in place of the process's own. */
    static CommandLine commandLine(Map<String, String> environment) {
        return commandLine(environment, List.of());
    }

    private static CommandLine commandLine(Map<String, String> environment, List<Flag> compatible) {
        Main main = new Main();
        return new CommandLine(main)
                .addSubcommand(new RunCommand(environment, compatible))
                .addSubcommand(new DemoCommand())
                .addSubcommand(new CleanupCommand(environment))
                .addSubcommand(new VersionCommand())
                .addSubcommand(new RehearseCommand())
                .setExecutionStrategy(main::execute)
                .setParameterExceptionHandler((e, arguments) -> main.wrongUse(e))
                .setExecutionExceptionHandler((e, command, result) -> main.failed(e, command));
    }

    /** Called when no command is named. */
    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(), "Missing command: run, demo, cleanup or version");
    }

    private int execute(CommandLine.ParseResult result) {
        if (verbose) {
            ProgramLog.showDetails();
        }
        return new CommandLine.RunLast().execute(result);
    }

    private int wrongUse(ParameterException e) {
        String command = e.getCommandLine().getCommandSpec().qualifiedName();
        e.getCommandLine()
                .getErr()
                .println(command + ": " + line(e) + " (see '" + command + " --help')");
        return ExitCodes.USAGE;
    }

    private int failed(Exception e, CommandLine command) {
        command.getErr().println(command.getCommandSpec().qualifiedName() + ": " + line(e));
        if (verbose) {
            e.printStackTrace(command.getErr());
        }
        return e instanceof InvalidConfigException ? ExitCodes.INVALID_CONFIG : ExitCodes.FAILED;
    }

    /** An error that was not foreseen names its type, since its message was not made for users. */
    private static String line(Exception e) {
        String message = e.getMessage();
        boolean isUnforeseen = e instanceof NullPointerException || message == null;
        String text = isUnforeseen ? e + " (this is a bug; -v shows more)" : message;
        return String.valueOf(text).strip().replaceAll("\\s*\\R\\s*", "; ");
    }
}
