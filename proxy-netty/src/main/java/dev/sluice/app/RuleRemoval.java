package dev.sluice.app;

import dev.sluice.config.ProxyConfig;
import dev.sluice.redirect.IptablesRedirectRules;
import dev.sluice.redirect.RedirectException;
import dev.sluice.state.StateDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Removes the redirect rules that a process left. The lock is held meanwhile, so that no copy
 * starts and finds its rules gone; a copy that runs would only write them again.
 *
 * <p>Threads: stateless; any thread.
 */
final class RuleRemoval {
    /** What to tell the user then. */
    static final String DONE = "redirect rules of Sluice are removed";

    private RuleRemoval() {}

    /**
     * @throws IOException if a copy runs
     */
    @SuppressWarnings("try") // held, not used
    static void run(ProxyConfig config) throws IOException, RedirectException {
        Optional<Path> directory = config.state().directory().filter(Files::isDirectory);
        if (directory.isEmpty()) {
            force(config);
            return;
        }
        try (StateDirectory held = lock(directory.get())) {
            force(config);
        }
    }

    /** Also while a copy runs. */
    static void force(ProxyConfig config) throws RedirectException {
        IptablesRedirectRules.open(config.redirect()).removeAll();
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
