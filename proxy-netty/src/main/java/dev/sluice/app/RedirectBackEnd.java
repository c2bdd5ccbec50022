package dev.sluice.app;

import dev.sluice.config.ProxyConfig;
import dev.sluice.redirect.IptablesRedirectRules;
import dev.sluice.redirect.NoRedirectRules;
import dev.sluice.redirect.RedirectException;
import dev.sluice.redirect.RedirectRules;

/** Chooses what writes the rules. */
final class RedirectBackEnd {
    private RedirectBackEnd() {}

    /**
     * For serving. Writes nothing yet.
     *
     * @throws RedirectException if the programs are missing or can't read the rules, or if
     *     kube-proxy serves this node
     */
    static RedirectRules open(ProxyConfig.Redirect settings) throws RedirectException {
        return switch (settings.mode()) {
            case IPTABLES -> {
                IptablesRedirectRules rules = IptablesRedirectRules.open(settings);
                if (!settings.besideKubeProxy()) {
                    rules.requireNoKubeProxy();
                }
                yield rules;
            }
            case NONE -> new NoRedirectRules();
        };
    }
}
