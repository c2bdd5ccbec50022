package dev.sluice.model;

import java.util.Locale;

/** Transport protocol of a Service port ({@code spec.ports[].protocol}). */
public enum Protocol {
    TCP,
    UDP,
    SCTP;

    /** The lower-case name, as iptables and nft write it. */
    public String lowerCase() {
        return name().toLowerCase(Locale.ROOT);
    }
}
