package dev.sluice.redirect;

/** {@code redirect = none}: clients reach the listeners themselves. */
public final class NoRedirectRules implements RedirectRules {
    @Override
    public void replaceAll(RuleSet rules) {}

    @Override
    public void removeAll() {}
}
