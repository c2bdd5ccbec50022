package dev.sluice.app;

import dev.sluice.config.ProxyConfig;
import dev.sluice.redirect.IptablesRedirectRules;
import dev.sluice.redirect.RedirectException;
import dev.sluice.state.StateDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code sluice cleanup}. It holds the lock meanwhile, so that no copy starts and finds its rules
 * gone; a copy that runs would only write them again.
 */
@Command(
        name = "cleanup",
        description =
                "Remove all redirect rules of Sluice, those of a process that was killed included.",
        footerHeading = "%nExamples:%n",
        footer = {"  sluice cleanup", "  sluice cleanup --set redirect.flavour=legacy"})
final class CleanupCommand implements Callable<Integer> {
    private final Map<String, String> environment;

    @Spec private CommandSpec spec = CommandSpec.create();

    @Mixin private ConfigOptions options = new ConfigOptions();

    @Option(
            names = "--force",
            description = "Also while a copy runs, which will write its rules again.")
    private boolean force;

    CleanupCommand(Map<String, String> environment) {
        this.environment = environment;
    }

    @Override
    public Integer call() throws IOException, RedirectException {
        ProxyConfig config = options.load(environment, List.of());
        Optional<Path> directory = config.state().directory().filter(Files::isDirectory);
        if (force || directory.isEmpty()) {
            remove(config);
        } else {
            removeLocked(config, directory.get());
        }
        return ExitCodes.OK;
    }

    @SuppressWarnings("try") // held, not used
    private void removeLocked(ProxyConfig config, Path directory)
            throws IOException, RedirectException {
        try (StateDirectory held = lock(directory)) {
            remove(config);
        }
    }

    private void remove(ProxyConfig config) throws RedirectException {
        IptablesRedirectRules.open(config.redirect()).removeAll();
        spec.commandLine().getOut().println("redirect rules of Sluice are removed");
    }

    private static StateDirectory lock(Path directory) throws IOException {
        try {
            return StateDirectory.open(directory, Duration.ZERO);
        } catch (IOException e) {
            throw new IOException(
                    e.getMessage() + "; stop it first, or remove its rules with --force", e);
        }
    }
}
