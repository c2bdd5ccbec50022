package dev.sluice.offender.config;

import dev.sluice.offender.model.Offender;

/** Has a name that says nothing, and closes a cycle. */
public final class OffenderUtils {
    private OffenderUtils() {}

    /** Uses the package that uses this one. */
    public static Offender offender() {
        return new Offender();
    }

    /** Uses the command line by way of a class that nobody sees. */
    public static Object program() {
        return new Program();
    }
}
