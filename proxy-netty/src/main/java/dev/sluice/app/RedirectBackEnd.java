package dev.sluice.app;

import dev.sluice.config.ProxyConfig;
import dev.sluice.redirect.NoRedirectRules;
import dev.sluice.redirect.RedirectException;
import dev.sluice.redirect.RedirectRules;

/** Chooses what writes the rules. */
final class RedirectBackEnd {
    private RedirectBackEnd() {}

    /**
     * Writes nothing yet.
     *
     * @throws RedirectException if the programs are missing or can't read the rules
     */
    static RedirectRules open(ProxyConfig.Redirect settings) throws RedirectException {
        return switch (settings.mode()) {
            case IPTABLES -> throw new RedirectException("redirect.mode iptables is not there yet");
            case NONE -> new NoRedirectRules();
        };
    }
}
