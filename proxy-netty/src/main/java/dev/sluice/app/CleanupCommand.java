package dev.sluice.app;

import dev.sluice.config.ProxyConfig;
import dev.sluice.redirect.RedirectException;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sluice cleanup}. */
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
        if (force) {
            RuleRemoval.force(config);
        } else {
            RuleRemoval.run(config);
        }
        spec.commandLine().getOut().println(RuleRemoval.DONE);
        return ExitCodes.OK;
    }
}
